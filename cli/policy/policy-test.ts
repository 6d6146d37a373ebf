import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { dataText } from '../io/output.ts';
import { findingText } from '../validate/finding-text.ts';
import { testsText } from './print-policies.ts';
import { errorsOf, exitOf, policiesValue, readPolicies } from './read-policies.ts';

export const policyTestVerb: Verb = {
  usage: 'FILE|FOLDER…',
  count: [1, 10_000],
  flags: [OUTPUT],
  about: `Runs the tests that stand in spec.tests of every OrbPolicy, without a server, with the functions that decide about
runs. A test is about the rules: match, mode and rollout are left out. Objects of other kinds are left out; - is
standard input.

Exit 1: a test failed; 2: a policy has an error, or a file can't be read.`,
  examples: ['{orb} policy test policies/', '{orb} policy test -o json policies/day-budget.yaml'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const read = await readPolicies(args.positionals, io);
    io.err(errorsOf(read).map(findingText).join(''));
    if (format === 'json' || format === 'yaml') io.out(await dataText(policiesValue(read), format));
    else io.out(read.policies.map(testsText).join(''));
    return exitOf(read);
  },
};
