import { expect } from 'chai';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tmpdir } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readFolder } from '../../../../adapters/manifest-folder/read-folder.ts';

const FILES = 10;

describe('readFolder while somebody renames', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('finds a file under one of its names, at whatever moment it is renamed', async () => {
    for (let index = 0; index < FILES; index += 1) writeFileSync(join(folder, `f${index}.yaml`), '# nothing\n');
    const [one, other] = [join(folder, 'x.yaml'), join(folder, 'a.yaml')];
    let isSeen = true;
    for (let turns = 0; turns < 60; turns += 1) {
      writeFileSync(one, '# it\n');
      const reading = readFolder(folder);
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      renameSync(one, other);
      const names = (await reading).map(({ path }) => basename(path));
      isSeen &&= names.includes('x.yaml') || names.includes('a.yaml');
      rmSync(other);
    }
    expect(isSeen).to.equal(true);
  });

  it('ends though a link leads nowhere', async () => {
    symlinkSync(join(folder, 'nothing'), join(folder, 'link.yaml'));
    writeFileSync(join(folder, 'a.yaml'), '# it\n');
    expect((await readFolder(folder)).map(({ path }) => basename(path))).to.deep.equal(['a.yaml']);
  });
});
