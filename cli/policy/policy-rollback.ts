import { isDigest } from '../../core/json/digest.ts';
import { printAnswerFrom } from '../api/print-answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { namedObject } from '../args/tenant-flags.ts';
import { usage } from '../io/failure.ts';
import { ABOUT_NAME, NAMESPACE, placeOfPolicy, policyPath } from './find-policy.ts';
import { policyLine } from './policy-text.ts';

export const policyRollbackVerb: Verb = {
  usage: 'NAME',
  count: [1, 1],
  flags: [
    { name: 'to', value: 'DIGEST', text: 'the version: orb policy versions lists them' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: `${ABOUT_NAME}
Writes the spec of an earlier version as a new one. The mode stays as it is: going back neither promotes nor disables.`,
  examples: [
    '{orb} policy rollback day-budget --to sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const name = namedObject(args.positionals[0] ?? '', args);
    const digest = args.one('to') ?? '';
    if (!isDigest(digest)) throw usage('--to DIGEST: sha256: and 64 hex digits, as orb policy versions prints it');
    const server = await findServer(args, io);
    const found = await placeOfPolicy(server, name, io);
    if (found.kind === 'problem') return printProblem(found.status, found.value, server, { format, io });
    const path = policyPath(found.place, '/rollback');
    return printAnswerFrom(server, args, io, { method: 'POST', path, body: { digest }, textOf: policyLine });
  },
};
