import { printAnswerFrom } from '../api/print-answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { namedObject } from '../args/tenant-flags.ts';
import { ABOUT_NAME, NAMESPACE, placeOfPolicy, policyPath } from './find-policy.ts';
import { policyLine } from './policy-text.ts';

export const policyPromoteVerb: Verb = {
  usage: 'NAME',
  count: [1, 1],
  flags: [
    { name: 'replay', value: 'REPLAY_ID', text: 'the replay that must meet the gate (any of this version)' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: `${ABOUT_NAME}
Sets spec.mode to Enforce. A policy with spec.promotion.requireReplay needs a finished replay of this version within
its limits. When kubectl, Argo CD, Flux or a file keeps the policy, the answer shows the change to make there.

Exit 1: the gate is not met; the limits are shown.`,
  examples: [
    '{orb} policy promote day-budget',
    '{orb} policy promote acme/day-budget --replay rpl_01a1f866-0dfa-7001-8000-000000001eef',
  ],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const name = namedObject(args.positionals[0] ?? '', args);
    const replay = args.one('replay');
    const server = await findServer(args, io);
    const found = await placeOfPolicy(server, name, io);
    if (found.kind === 'problem') return printProblem(found.status, found.value, server, { format, io });
    return printAnswerFrom(server, args, io, {
      method: 'POST',
      path: policyPath(found.place, '/promote'),
      body: replay === undefined ? {} : { replay_id: replay },
      textOf: policyLine,
    });
  },
};
