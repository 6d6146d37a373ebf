import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { namedObject } from '../args/tenant-flags.ts';
import { EXIT } from '../io/failure.ts';
import { dataText } from '../io/output.ts';
import { ABOUT_NAME, findPolicy, NAMESPACE } from './find-policy.ts';
import { policyText } from './policy-text.ts';

export const policyGetVerb: Verb = {
  usage: 'NAME',
  count: [1, 1],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: `${ABOUT_NAME}
What -o yaml prints can be changed and given to orb policy apply.`,
  examples: ['{orb} policy get day-budget', '{orb} policy get acme/day-budget -o yaml'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const name = namedObject(args.positionals[0] ?? '', args);
    const server = await findServer(args, io);
    const found = await findPolicy(server, name, io);
    if (found.kind === 'problem') return printProblem(found.status, found.value, server, { format, io });
    io.out(format === 'json' || format === 'yaml' ? await dataText(found.value, format) : policyText(found.value));
    return EXIT.ok;
  },
};
