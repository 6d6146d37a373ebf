import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { member } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { orbIdOf } from '../args/orb-id.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { reasonOf, REASON } from '../args/reason.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';

interface Change {
  /** The status that the version gets, unless a flag says another. */
  readonly status: (args: Args) => string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly flags?: readonly Flag[];
}

/** A verb that changes the status of a published version (trust.md §8.6). */
const statusVerb = ({ status, about, examples, flags = [] }: Change): Verb => ({
  usage: 'ORB_ID',
  count: [1, 1],
  flags: [REASON, ...flags, ...SERVER_FLAGS, OUTPUT],
  about,
  examples,
  run: async (args: Args, io: Io) => {
    const orbId = orbIdOf(args.positionals[0] ?? '');
    const body = { status: status(args), reason: reasonOf(args) };
    const path = `marketplace/orbs/${encodeURIComponent(orbId)}/status`;
    return printAnswer(args, io, {
      method: 'POST',
      path,
      body,
      textOf: (value) =>
        `${textAt(value, 'orb_id')} is ${textAt(value, 'status')} (entry ${textAt(member(value, 'log'), 'index')} of the log)\n`,
    });
  },
});

export const deprecateVerb = statusVerb({
  status: () => 'deprecated',
  about:
    'The version leaves the public list. It still runs, and its answers carry the header Deprecation. orb restore undoes it.',
  examples: ["{orb} deprecate acme.echo@1.2.0 --reason 'use 2.0.0'"],
});

export const yankVerb = statusVerb({
  status: () => 'yanked',
  about:
    'Final: the version leaves all default lists, its certificate is revoked, and its id is never published again.',
  examples: ["{orb} yank acme.echo@1.2.0 --reason 'sends the wrong currency'"],
});

export const suspendVerb = statusVerb({
  status: () => 'suspended',
  about: 'For the platform: needs the scope admin in the platform namespace. New runs are refused, and the score is 0.',
  examples: ["{orb} suspend acme.echo@1.2.0 --reason 'reported as malware'"],
});

export const restoreVerb = statusVerb({
  status: (args) => args.one('to') ?? 'active',
  flags: [
    {
      name: 'to',
      value: 'STATUS',
      text: 'after a suspension: the status before it (active)',
      values: ['active', 'deprecated', 'yanked'],
    },
  ],
  about: 'Ends a deprecation, or for the platform a suspension. A yanked version stays yanked.',
  examples: ["{orb} restore acme.echo@1.2.0 --reason 'fixed at the provider'"],
});
