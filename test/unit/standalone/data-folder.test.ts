import { expect } from 'chai';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../../adapters/process/start-error.ts';
import { openDataFolder } from '../../../standalone/data-folder.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the data folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'orb-data-'));
  after(() => rmSync(root, { recursive: true }));

  it('is made with all its parts, for its owner alone', async () => {
    const folder = await openDataFolder(join(root, 'a', 'b'));
    for (const path of [folder.path, folder.ledger, folder.apiKeys, folder.vault, folder.example])
      expect(modeOf(path), path).to.equal(0o700);
  });

  it('is refused in words where it can not be made', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')]) {
      const error: unknown = await openDataFolder(path).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(StartError);
      expect(String(error)).to.match(/--data \S+: the folder can't be made or written \(E\w+\): name another one/);
      expect(String(error)).to.include(path);
    }
  });

  it('keeps what is there', async () => {
    const folder = await openDataFolder(join(root, 'kept'));
    writeFileSync(join(folder.vault, 'default.default.yaml'), 'entries: []\n');
    await openDataFolder(folder.path);
    expect(readdirSync(folder.vault)).to.deep.equal(['default.default.yaml']);
  });
});
