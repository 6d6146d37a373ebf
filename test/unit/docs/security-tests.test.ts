import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { firstCellsOf } from '../../support/docs/markdown.ts';
import { readText } from '../../support/docs/repository.ts';
import { SCENARIOS } from '../../security/reliability.ts';
import { rowsOf, unnumbered } from '../../security/table.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('the tests of security requirements', () => {
  it('are listed for each requirement of the design, and for no other', () => {
    const ids = firstCellsOf(readText('docs/design/security.md')).filter((cell) => /^S[0-9]+$/.test(cell));
    expect(rowsOf(ROOT).map(({ id }) => id)).to.deep.equal(ids);
    expect(ids.length).to.equal(30);
  });

  for (const { id, tests, state, lacks } of rowsOf(ROOT)) {
    it(`of ${id} exist, by file and title`, () => {
      const gone = tests.filter(({ file, title }) => !existsSync(join(ROOT, file)) || !readText(file).includes(title));
      expect(gone).to.deep.equal([]);
    });

    it(`of ${id} are there unless it says what is not built`, () => {
      expect(tests.length > 0 || lacks !== '').to.equal(true);
      expect(state === 'met').to.equal(lacks === '');
    });
  }

  it('name a requirement in every file of attacks over the network', () => {
    expect(unnumbered(ROOT)).to.deep.equal([]);
  });

  it('take a file of attacks for each requirement that its describe names', () => {
    const file = 'test/integration/security/fair-shares.test.ts';
    const naming = rowsOf(ROOT).filter(({ tests }) => tests.some((test) => test.file === file));
    expect(naming.map(({ id }) => id)).to.deep.equal(['S6', 'S15']);
  });
});

describe('the steps of scenarios', () => {
  const steps = Object.entries(SCENARIOS).flatMap(([id, ofId]) => ofId.map((step) => ({ id, ...step })));
  const scripts = readText('package.json');

  for (const { id, what, tests, verbs = [], lacks } of steps)
    it(`${id}, ${what}: has tests that exist and verbs that run, or says what is not shown`, () => {
      const gone = tests.filter(([file, title]) => !existsSync(join(ROOT, file)) || !readText(file).includes(title));
      expect(gone).to.deep.equal([]);
      expect(tests.length > 0 || lacks !== undefined).to.equal(true);
      for (const verb of verbs) {
        const [, , script = '', mode = ''] = verb.split(' ');
        expect(scripts).to.include(`"${script}":`);
        expect(existsSync(join(ROOT, `test/${script}/${mode}.ts`)), verb).to.equal(true);
      }
    });
});
