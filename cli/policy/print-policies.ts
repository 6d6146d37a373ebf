import { MAX_SET_UNITS } from '../../core/policy/decision/cost-budget.ts';
import { PHASES } from '../../core/policy/facts/fact-schema.ts';
import { printable } from '../io/output.ts';
import type { FilePolicy } from './read-policies.ts';

type Test = FilePolicy['tests'][number];

const testText = ({ name, passed, detail }: Test): string =>
  passed ? `  ok      ${printable(name)}\n` : `  FAILED  ${printable(name)}\n          ${printable(detail)}\n`;

const sumsOf = (tests: readonly Test[]): string => {
  const passed = tests.filter((test) => test.passed).length;
  return `${tests.length} ${tests.length === 1 ? 'test' : 'tests'}: ${passed} passed, ${tests.length - passed} failed`;
};

/** The tests of a policy, for people. */
export function testsText({ title, compiled, tests }: FilePolicy): string {
  const head = `${printable(title)}\n`;
  if (compiled === undefined) return `${head}  not run: the policy has errors\n`;
  return `${head}${tests.map(testText).join('')}${sumsOf(tests)}\n`;
}

/** What a policy without errors costs and reads, for people. */
export function policyText({ file, title, definition, compiled, tests }: FilePolicy): string {
  if (compiled === undefined) return '';
  const { costUnits, readsFacts } = compiled;
  const costs = PHASES.flatMap((phase) => {
    const units = costUnits[phase];
    return units === undefined ? [] : [`${phase} ${units} of ${MAX_SET_UNITS} units`];
  });
  const rows = [
    `${file}: ${title} (${definition.spec.mode})`,
    `  digest  ${definition.digest}`,
    `  cost    ${costs.join(', ')}`,
    `  facts   ${readsFacts.length === 0 ? 'none' : readsFacts.join(', ')}`,
    `  ${tests.length === 0 ? 'no tests' : sumsOf(tests)}`,
  ];
  return `${rows.map((row) => `${printable(row)}\n`).join('')}${tests
    .filter(({ passed }) => !passed)
    .map(testText)
    .join('')}`;
}
