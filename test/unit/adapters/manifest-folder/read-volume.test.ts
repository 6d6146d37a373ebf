import { expect } from 'chai';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readVolume } from '../../../../adapters/manifest-folder/read-volume.ts';

const ORB = 'orb_id: t.a@1.0.0\nprovider: p\nexecution: {}\n';

describe('readVolume', () => {
  const root = mkdtempSync(join(tmpdir(), 'orb-volume-'));
  after(() => rmSync(root, { recursive: true }));

  function publish(version: string, files: Readonly<Record<string, string>>): void {
    mkdirSync(join(root, version));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, version, name), text);
    symlinkSync(version, join(root, '..data_tmp'));
    renameSync(join(root, '..data_tmp'), join(root, '..data'));
  }

  it('reads the files behind ..data, and those of the next version after a swap', async () => {
    publish('..v1', { 'a.yaml': ORB });
    symlinkSync(join('..data', 'a.yaml'), join(root, 'a.yaml'));
    const { files: first } = await readVolume(root, []);
    expect(first.map(({ path }) => basename(path))).to.deep.equal(['a.yaml']);
    expect((await readVolume(root, first)).files).to.have.ordered.members([...first]);
    publish('..v2', { 'a.yaml': `# changed\n${ORB}` });
    const [file] = (await readVolume(root, first)).files;
    expect(file?.version).to.not.equal(first[0]?.version);
  });

  it('gives another stamp after a name came or went, and the same while nothing does', async () => {
    const busy = join(root, 'busy');
    mkdirSync(busy);
    const stamp = async (): Promise<string> => (await readVolume(busy, [])).stamp;
    const stamps = [await stamp(), await stamp()];
    writeFileSync(join(busy, 'a.yaml'), ORB);
    utimesSync(busy, 1, 1);
    stamps.push(await stamp());
    rmSync(join(busy, 'a.yaml'));
    stamps.push(await stamp());
    expect(stamps[0]).to.equal(stamps[1]);
    expect(new Set(stamps).size).to.equal(3);
  });

  it('rejects when the data are nowhere: every file would look as if it were removed', async () => {
    rmSync(join(root, '..v2'), { recursive: true });
    const code = await readVolume(root, []).then(
      () => 'read',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    );
    expect(code).to.equal('ENOENT');
  });

  it('reads a plain folder', async () => {
    const plain = join(root, 'plain');
    mkdirSync(plain);
    writeFileSync(join(plain, 'a.yaml'), ORB);
    expect((await readVolume(plain, [])).files).to.have.length(1);
  });
});
