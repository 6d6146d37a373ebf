import { member } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { REASON, reasonOf } from '../args/reason.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { textAt } from '../io/output.ts';
import { orgPath } from './claim-request.ts';

/** A verb of the platform about an organisation with all its Orbs (trust.md §8.1). */
const orgStatusVerb = (status: 'suspended' | 'restored', about: string, example: string): Verb => ({
  usage: 'ORG',
  count: [1, 1],
  flags: [REASON, ...SERVER_FLAGS, OUTPUT],
  about: `For the platform: needs the scope admin in the platform namespace. ${about}`,
  examples: [example],
  run: async (args, io) => {
    const body = { status, reason: reasonOf(args) };
    return printAnswer(args, io, {
      method: 'POST',
      path: orgPath(args, '/status'),
      body,
      textOf: (value) =>
        `${textAt(value, 'org')} is ${textAt(value, 'status')} (entry ${textAt(member(value, 'log'), 'index')} of the log)\n`,
    });
  },
});

export const orgSuspendVerb = orgStatusVerb(
  'suspended',
  'The organisation publishes nothing, and all its Orbs lose their certificates.',
  "{orb} org suspend acme --reason 'the domain was sold'",
);

export const orgRestoreVerb = orgStatusVerb(
  'restored',
  'Ends a suspension.',
  "{orb} org restore acme --reason 'the owner is back'",
);
