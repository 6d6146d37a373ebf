import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFolder, unpackFolder, writeFolder } from '../../../../hack/control-plane/packed-folder.ts';

const rejected = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    () => true,
  );

describe('a packed folder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-packed-'));
    mkdirSync(join(folder, 'from/member/wal'), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (path: string, bytes: Buffer): void => writeFileSync(join(folder, 'from', path), bytes);
  const pack = (): Promise<Buffer> => packFolder(join(folder, 'from'));

  it('comes back with the same bytes, also zeros in and behind the content', async () => {
    const files = {
      'member/db': Buffer.from([0, 1, 0, 255, 0]),
      'member/wal/log': Buffer.concat([Buffer.from('entry'), Buffer.alloc(1_000_000)]),
      empty: Buffer.alloc(0),
    };
    for (const [path, bytes] of Object.entries(files)) write(path, bytes);
    const packed = await pack();
    expect(packed.length).to.be.lessThan(1000);
    await writeFolder(join(folder, 'to'), await unpackFolder(packed));
    for (const [path, bytes] of Object.entries(files))
      expect(readFileSync(join(folder, 'to', path)).equals(bytes), path).to.equal(true);
    expect(statSync(join(folder, 'to/member/db')).mode % 0o1000).to.equal(0o600);
  });

  it('is refused when it is damaged, cut off or something else', async () => {
    write('member/db', Buffer.from('what etcd stored'));
    const packed = await pack();
    const changed = Buffer.from(packed);
    changed.writeUInt8((changed.at(40) ?? 0) ^ 1, 40);
    for (const bad of [changed, packed.subarray(0, -5), Buffer.alloc(0), Buffer.from('[]')])
      expect(await rejected(unpackFolder(bad))).to.equal(true);
  });

  it('is never written over files that are there', async () => {
    write('member/db', Buffer.from('new'));
    expect(await rejected(writeFolder(join(folder, 'from'), await unpackFolder(await pack())))).to.equal(true);
  });
});
