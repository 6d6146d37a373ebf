import { rowsOf, type Row } from '../../test/security/table.ts';
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

const testText = ({ file, title }: Row['tests'][number]): string =>
  title === '' ? code(file) : `${code(file)}: ${prose(title)}`;

const rowText = ({ id, what, state, lacks, tests }: Row): string =>
  `| ${id} | ${prose(what)} | ${state} | ${lacks === '' ? '–' : prose(lacks)} | ${tests.length === 0 ? '–' : tests.map(testText).join('<br>')} |\n`;

/** The table of security requirements, from the list of their tests. */
export async function securityTestArtefacts(root: string): Promise<readonly Artefact[]> {
  return [{ path: PATH, text: await formatted(root, PATH, INTRODUCTION + rowsOf(root).map(rowText).join('')) }];
}
