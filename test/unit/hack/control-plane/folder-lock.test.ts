import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withFolderLock } from '../../../../hack/control-plane/folder-lock.ts';

const soon = (): Promise<unknown> => delay(5);
const silent = (): void => undefined;

describe('the lock of a folder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const left = (text: string): void => writeFileSync(join(folder, '.lock'), text);
  const take = <T>(work: () => Promise<T>): Promise<T> => withFolderLock(folder, silent, work, soon);

  const { pid: dead } = spawnSync('true');
  const stale: readonly (readonly [string, string])[] = [
    ['of a process that was killed', `${dead} 12345 a`],
    ['of a process whose number another has', `${process.pid} 1 a`],
    ['that a power cut left empty', ''],
    ['that says nothing of a process', 'x'],
  ];
  for (const [which, text] of stale) {
    it(`takes over one ${which}`, async () => {
      left(text);
      expect(await take(async () => 'done')).to.equal('done');
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  }

  it('lets one of many work at a time, who all found a dead one’s', async () => {
    left(`${dead} 12345 a`);
    let [working, most, done] = [0, 0, 0];
    const one = (): Promise<void> =>
      take(async () => {
        working += 1;
        most = Math.max(most, working);
        await soon();
        working -= 1;
        done += 1;
      });
    await Promise.all(Array.from({ length: 12 }, one));
    expect([most, done, readdirSync(folder)]).to.deep.equal([1, 12, []]);
  });

  it('says who has it, and waits', async () => {
    const said: string[] = [];
    let second: Promise<void> | undefined;
    await take(async () => {
      second = withFolderLock(
        folder,
        (line) => said.push(line),
        async () => undefined,
        soon,
      );
      while (said.length === 0) await soon();
      expect(existsSync(join(folder, '.lock'))).to.equal(true);
    });
    await second;
    expect(said).to.have.length(1);
    expect(said[0]).to.contain(`Process ${process.pid}`).and.to.contain(join(folder, '.lock'));
  });

  it('waits on when the folder is removed by whoever had it', async () => {
    let second: Promise<string> | undefined;
    const first = take(async () => {
      second = take(async () => 'second');
      await soon();
      rmSync(folder, { recursive: true });
    });
    await first;
    expect(await second).to.equal('second');
  });

  it('is given back by work that fails', async () => {
    const failed = await take(async () => Promise.reject(new Error('no space left'))).catch(String);
    expect(failed).to.contain('no space left');
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});
