import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeArtefacts } from '../../../../hack/generate/write-artefacts.ts';

const artefacts = [
  { path: 'a.txt', text: 'a' },
  { path: 'b/c.txt', text: 'c' },
];

describe('writeArtefacts', () => {
  let root = '';
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'orb-generate-'));
    await writeFile(join(root, 'a.txt'), 'a');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8').catch(() => 'missing');

  it('names what is stale and writes it', async () => {
    expect(await writeArtefacts(root, artefacts, { check: false })).to.deep.equal(['b/c.txt']);
    expect(await read('b/c.txt')).to.equal('c');
    expect(await writeArtefacts(root, artefacts, { check: true })).to.deep.equal([]);
  });

  it('writes nothing when it only checks', async () => {
    await writeFile(join(root, 'a.txt'), 'edited by hand');
    expect(await writeArtefacts(root, artefacts, { check: true })).to.deep.equal(['a.txt', 'b/c.txt']);
    expect([await read('a.txt'), await read('b/c.txt')]).to.deep.equal(['edited by hand', 'missing']);
  });

  it('takes an empty file that is missing for stale', async () => {
    expect(await writeArtefacts(root, [{ path: 'empty', text: '' }], { check: true })).to.deep.equal(['empty']);
  });
});
