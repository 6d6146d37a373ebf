import { expect } from 'chai';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLockError, withFileLock } from '../../../../adapters/private-file/file-lock.ts';
import { replacePrivate } from '../../../../adapters/private-file/private-file.ts';

describe('replacePrivate', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'orb-private-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('makes folders and file for the owner alone, and leaves nothing beside it', async () => {
    const path = join(folder, 'a/b/file');
    await replacePrivate(path, 'text');
    expect(readFileSync(path, 'utf8')).to.equal('text');
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(statSync(join(folder, 'a/b')).mode & 0o777).to.equal(0o700);
    expect(readdirSync(join(folder, 'a/b'))).to.deep.equal(['file']);
  });

  it('replaces a file that others could read by one that they can not', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'old');
    chmodSync(path, 0o644);
    await replacePrivate(path, 'new');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).to.deep.equal(['new', 0o600]);
  });

  it('does not write into what a crashed process left', async () => {
    const path = join(folder, 'file');
    const left = `${path}.${process.pid}.tmp`;
    writeFileSync(left, 'left');
    chmodSync(left, 0o666);
    await replacePrivate(path, 'new');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).to.deep.equal(['new', 0o600]);
  });

  it('leaves nothing behind when it can not replace', async () => {
    const path = join(folder, 'file');
    mkdirSync(path);
    expect(await replacePrivate(path, 'new').catch(() => 'refused')).to.equal('refused');
    expect(readdirSync(folder)).to.deep.equal(['file']);
  });
});

describe('withFileLock', () => {
  let folder = '';
  let waited = 0;
  const clock = {
    now: () => Date.parse('2026-11-20T12:00:00Z') + waited,
    monotonic: () => waited,
    sleep: async (ms: number) => {
      waited += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const path = (): string => join(folder, 'file');
  const lock = (): string => `${path()}.lock`;
  const signal = new AbortController().signal;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-lock-'));
    waited = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lets one in after the other', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, (inside += 1));
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all([1, 2, 3].map(() => withFileLock(path(), clock, signal, work)));
    expect([most, existsSync(lock())]).to.deep.equal([1, false]);
  });

  it('gives the lock back when the work fails', async () => {
    const fails = withFileLock(path(), clock, signal, () => Promise.reject(new Error('no')));
    expect(await fails.catch((error: Error) => error.message)).to.equal('no');
    expect(await withFileLock(path(), clock, signal, async () => 'done')).to.equal('done');
  });

  it('gives up after 5 s and names the lock', async () => {
    writeFileSync(lock(), '');
    utimesSync(lock(), clock.now() / 1000, clock.now() / 1000);
    const error: unknown = await withFileLock(path(), clock, signal, async () => 'done').catch(
      (fault: unknown) => fault,
    );
    expect(error).to.be.instanceOf(FileLockError);
    expect(String(error)).to.include(lock());
    expect([waited, existsSync(lock())]).to.deep.equal([5000, true]);
  });

  it('takes over a lock that is older than 10 s', async () => {
    writeFileSync(lock(), '');
    utimesSync(lock(), clock.now() / 1000 - 11, clock.now() / 1000 - 11);
    expect(await withFileLock(path(), clock, signal, async () => 'done')).to.equal('done');
    expect(existsSync(lock())).to.equal(false);
  });
});
