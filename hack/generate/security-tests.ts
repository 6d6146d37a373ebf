import { FUZZ_RUNS } from '../../test/security/fuzz-runs.ts';
import { SCENARIOS } from '../../test/security/reliability.ts';
import { rowsOf, stateOf, type Row } from '../../test/security/table.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { code, prose } from './reference.ts';

const PATH = 'docs/reference/security-tests.md';

const INTRODUCTION = `# Security requirements and their tests

The requirements of [security.md](../design/security.md) §2, and the tests that attack the platform for each. \`npm test\`
runs all of them but those of \`test/e2e\`, which need a node (\`npm run e2e\`). \`npm run test:security\` runs them attack by
attack and prints this table with results; \`npm run test:security -- S1 S6\` takes some. A unit test fails when a named
test is gone.

| Id | Requirement | State | Not built or not shown | Tests |
| --- | --- | --- | --- | --- |
`;

const SCENARIO_INTRODUCTION = `
## R9, R15 and R17 step by step

The scenarios of [reliability.md](../design/reliability.md) §4 that security rests on. A verb does the same as the tests
beside it, more often or for longer; [test/README.md](../../test/README.md) has its options.

| Id | Step | State | Not built or not shown | Measured | Tests | Verbs |
| --- | --- | --- | --- | --- | --- | --- |
`;

const FUZZ_INTRODUCTION = `
## Fuzzing in full size

\`npm run fuzz -- --seed N --cases N NAME\` repeats a row. No case crashed, took a second of CPU, or got what it may not
have. A name has a million cases, or 100 000 where one takes over half a millisecond. The time is that of a busy machine.

| Name | Cases | Seeds from | Seconds | Slowest case, ms of CPU |
| --- | --- | --- | --- | --- |
`;

const fuzzTexts = FUZZ_RUNS.map(
  ({ name, cases, seed, seconds, slowestMs }) =>
    `| ${code(name)} | ${cases.toLocaleString('en')} | ${seed} | ${seconds} | ${slowestMs} |\n`,
);

const testText = ({ file, title }: Row['tests'][number]): string =>
  title === '' ? code(file) : `${code(file)}: ${prose(title)}`;

const testsText = (tests: Row['tests']): string => (tests.length === 0 ? '–' : tests.map(testText).join('<br>'));
const textOr = (text: string): string => (text === '' ? '–' : prose(text));

const rowText = ({ id, what, state, lacks, tests }: Row): string =>
  `| ${id} | ${prose(what)} | ${state} | ${textOr(lacks)} | ${testsText(tests)} |\n`;

const scenarioTexts = Object.entries(SCENARIOS).flatMap(([id, steps]) =>
  steps.map(({ what, lacks = '', figures = '', tests, verbs = [] }) => {
    const shown = tests.map(([file, title]) => ({ file, title }));
    const by = verbs.length === 0 ? '–' : verbs.map(code).join('<br>');
    return `| ${id} | ${prose(what)} | ${stateOf(shown, lacks)} | ${textOr(lacks)} | ${textOr(figures)} | ${testsText(shown)} | ${by} |\n`;
  }),
);

/** The tables of security requirements and of scenarios, from the lists of their tests. */
export async function securityTestArtefacts(root: string): Promise<readonly Artefact[]> {
  const text = [
    INTRODUCTION,
    ...rowsOf(root).map(rowText),
    SCENARIO_INTRODUCTION,
    ...scenarioTexts,
    FUZZ_INTRODUCTION,
    ...fuzzTexts,
  ].join('');
  return [{ path: PATH, text: await formatted(root, PATH, text) }];
}
