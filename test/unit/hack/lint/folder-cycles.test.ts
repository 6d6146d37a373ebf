import { expect } from 'chai';
import { join } from 'node:path';
import { folderCycles, folderGraph, readSources } from '../../../../hack/lint/folder-cycles.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDERS = ['adapters', 'api-server', 'cli', 'core', 'crds', 'operator', 'standalone'];

const cyclesOf = (sources: Readonly<Record<string, string>>): readonly string[] =>
  folderCycles(folderGraph(new Map(Object.entries(sources))));

describe('folders', () => {
  it('import each other in one direction only', () => {
    expect(folderCycles(folderGraph(readSources(ROOT, FOLDERS)))).to.deep.equal([]);
  });
});

describe('folderCycles', () => {
  const rows: readonly [string, Readonly<Record<string, string>>, readonly string[]][] = [
    ['nothing where no file imports', { 'core/a/one.ts': '' }, []],
    ['nothing within one folder', { 'core/a/one.ts': "import { two } from './rules/two.ts';" }, []],
    ['nothing for a package', { 'core/a/one.ts': "import { two } from 'core/b';" }, []],
    [
      'two folders that import types of each other',
      { 'core/a/one.ts': "import type { Two } from '../b/two.ts';", 'core/b/two.ts': "export * from '../a/one.ts';" },
      ['core/a → core/b → core/a'],
    ],
    [
      'a cycle over three folders, once, and not what leads to it',
      {
        'core/a/one.ts': "import { two } from '../b/two.ts';",
        'core/b/two.ts': "const three = await import('../c/three.ts');",
        'core/c/deep/three.ts': "import {\n  one,\n} from '../../a/one.ts';",
        'core/d/four.ts': "import { one } from '../a/one.ts';",
      },
      ['core/a → core/b → core/c → core/a'],
    ],
    [
      'the files at the top as a folder of their own',
      { 'cli/http.ts': "import { usage } from './io/failure.ts';", 'cli/io/failure.ts': "import '../http.ts';" },
      ['cli → cli/io → cli'],
    ],
  ];
  for (const [what, sources, cycles] of rows) {
    it(`finds ${what}`, () => {
      expect(cyclesOf(sources)).to.deep.equal(cycles);
    });
  }
});
