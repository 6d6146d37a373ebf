import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { dataText } from '../io/output.ts';
import { count, findingText } from '../validate/finding-text.ts';
import { policyText } from './print-policies.ts';
import { errorsOf, exitOf, failedTests, policiesValue, readPolicies } from './read-policies.ts';

export const policyValidateVerb: Verb = {
  usage: 'FILE|FOLDER…',
  count: [1, 10_000],
  flags: [OUTPUT],
  about: `Compiles every OrbPolicy of the files and runs its tests, without a server. Prints what is wrong with its place in
the file, and what each policy costs and reads. Objects of other kinds are left out. - is standard input, such as what
kubectl get opol -o yaml prints.

Exit 1: a test failed; 2: a policy has an error, or a file can't be read.`,
  examples: ['{orb} policy validate policies/', '{orb} policy validate -o json policies/day-budget.yaml'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const read = await readPolicies(args.positionals, io);
    const { files, policies, findings } = read;
    if (format === 'json' || format === 'yaml') io.out(await dataText(policiesValue(read), format));
    else io.out([...findings.map(findingText), ...policies.map(policyText)].join(''));
    const errors = errorsOf(read).length;
    const parts = [
      count(files, 'file'),
      policies.length === 1 ? '1 policy' : `${policies.length} policies`,
      count(errors, 'error'),
      count(findings.length - errors, 'remark'),
      count(failedTests(read), 'failed test'),
    ];
    io.err(`${parts.join(', ')}\n`);
    return exitOf(read);
  },
};
