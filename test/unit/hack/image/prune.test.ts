import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prune } from '../../../../hack/image/prune.ts';

describe('prune', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-prune-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function left(...files: readonly string[]): Promise<readonly string[]> {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    const count = await prune(folder);
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(count).to.equal(found.length);
    return found.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).toSorted();
  }

  const PACKAGE = ['a/index.js', 'a/package.json'];
  const rows: readonly (readonly [string, string])[] = [
    ['types', 'a/index.d.ts'],
    ['sources of types', 'a/src/index.mts'],
    ['source maps', 'a/index.js.map'],
    ['prose', 'a/README.md'],
    ['add-ons of another runtime', 'a/prebuilds/linux-x64/a.bare'],
    ['binaries for other machines', 'a/prebuilds/android-arm64/a.node'],
    ["the package's own tests", 'a/test/index.js'],
    ["npm's own list, which names the registry", '.package-lock.json'],
    ['links to programs', '.bin/a'],
    ['settings of tools', 'a/.eslintrc'],
    ['a form for another loader', '@bufbuild/cel/dist/cjs/index.js'],
    ['test data of CEL', '@bufbuild/cel-spec/dist/esm/testdata/tests.js'],
  ];
  for (const [why, file] of rows) {
    it(`removes ${why}`, async () => expect(await left(...PACKAGE, file)).to.deep.equal(PACKAGE));
  }

  const kept: readonly (readonly [string, string])[] = [
    ['a licence, also as prose', 'a/LICENSE.md'],
    ['a licence in British', 'a/licence'],
    ['code in a folder named test that is no package part', 'a/lib/test/probe.js'],
    ['data', 'a/schemas/core.json'],
    ['a package whose name ends like a source map', 'lodash.map/index.js'],
    ['a package named test', 'test/index.js'],
    ['the same folder of another package', 'a/dist/cjs/index.js'],
    ['code of CEL in a folder named test', '@bufbuild/cel-spec/dist/esm/gen/conformance/test/simple_pb.js'],
    ['an add-on of Node', 'a/build/Release/a.node'],
    ['a binary for this machine', `a/prebuilds/${process.platform}-${process.arch}/a.node`],
  ];
  for (const [why, file] of kept) {
    it(`keeps ${why}`, async () => expect(await left(...PACKAGE, file)).to.deep.equal([...PACKAGE, file].toSorted()));
  }

  it('leaves no empty folder behind', async () => {
    await left(...PACKAGE, 'a/types/deep/index.d.ts');
    expect(readdirSync(join(folder, 'a')).toSorted()).to.deep.equal(['index.js', 'package.json']);
  });
});
