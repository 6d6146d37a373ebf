import { expect } from 'chai';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { ALL, allBut, IMAGE_BUILD, SECOND } from '../../../../hack/node/test-groups.ts';

const cwd = resolve(import.meta.dirname, '../../../..');
const files = globSync('test/e2e/**/*.test.ts', { cwd }).toSorted();

/** Files that mocha runs with these arguments: a pattern, files, and `--ignore` before each file that it leaves out. */
function filesOf(args: readonly string[]): readonly string[] {
  const ignored = new Set(args.filter((_, index) => args[index - 1] === '--ignore'));
  const named = args.filter((word) => word !== '--ignore' && !ignored.has(word));
  return [...new Set(globSync([...named], { cwd }))].filter((file) => !ignored.has(file));
}

describe('test files on two clusters', () => {
  it('each run once', () => {
    const first = filesOf(allBut([...IMAGE_BUILD, ...SECOND]));
    expect([...first, ...SECOND, ...IMAGE_BUILD].toSorted()).to.deep.equal(files);
  });

  it('are all run on one cluster too', () => {
    expect([...filesOf(allBut(IMAGE_BUILD)), ...IMAGE_BUILD].toSorted()).to.deep.equal(files);
    expect(filesOf(ALL).toSorted()).to.deep.equal(files);
  });

  it('that are named exist', () => {
    const named = ALL.filter((word) => !word.includes('*'));
    expect([...named, ...SECOND, ...IMAGE_BUILD].filter((file) => !files.includes(file))).to.deep.equal([]);
  });
});
