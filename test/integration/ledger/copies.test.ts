import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { sha256 } from '../../../adapters/keys/primitives.ts';
import { openSqliteLedger } from '../../../adapters/ledger/sqlite-ledger.ts';
import type { Ledger } from '../../../adapters/ledger/port.ts';
import { digestOf } from '../../../core/json/digest.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { checkLog } from '../../support/check-log.ts';
import { aFinish, aStart } from '../../support/ledger-rows.ts';
import { testLogKeyPublic, testLedgerOptions } from '../../support/sqlite-ledger.ts';

const ORB = join(import.meta.dirname, '../../../cli/orb.js');
const KILLS = 8;

describe('orb ledger backup and restore as processes', function suite() {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'orb-copies-'));
  const data = join(folder, 'data');
  const file = join(data, 'ledger', 'ledger.sqlite');
  let child: ChildProcess | undefined;
  after(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const open = (): Promise<Ledger> => openSqliteLedger(testLedgerOptions(file, { random: randomBytes }));

  before(async () => {
    const ledger = await open();
    await ledger.recordRun(aStart(1), aFinish(1));
    await ledger.putManifest('acme', digestOf(new Uint8Array(), sha256), 'x'.repeat(60_000_000));
    await ledger.close();
  });

  function orb(...argv: readonly string[]): ChildProcess {
    child = spawn(process.execPath, [ORB, 'ledger', ...argv], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return child;
  }

  const extras = (): readonly string[] => readdirSync(join(data, 'ledger')).filter((name) => name.includes('outgoing'));

  it('fails, and leaves nothing on the volume, when its reader goes away', async () => {
    const backup = orb('backup', '-', '--data', data);
    let reported = '';
    backup.stderr?.on('data', (chunk: Buffer) => (reported += chunk.toString('utf8')));
    backup.stdout?.once('data', () => backup.stdout?.destroy());
    await once(backup, 'close');
    expect([backup.exitCode, reported.includes('not sent whole'), extras()], reported).to.deep.equal([1, true, []]);
  });

  it('leaves nothing on the volume when it is stopped', async () => {
    const backup = orb('backup', '-', '--data', data);
    while (extras().length === 0) await delay(5);
    backup.kill('SIGTERM');
    backup.stdout?.resume();
    await once(backup, 'close');
    expect([backup.exitCode, extras()]).to.deep.equal([1, []]);
  });

  it('removes what a killed one left', async () => {
    const killed = orb('backup', '-', '--data', data);
    while (extras().length === 0) await delay(5);
    killed.kill('SIGKILL');
    killed.stdout?.resume();
    await once(killed, 'close');
    expect(extras()).to.have.length.above(0);
    const backup = orb('backup', '-', '--data', data);
    backup.stdout?.resume();
    await once(backup, 'close');
    expect([backup.exitCode, extras()]).to.deep.equal([0, []]);
  });

  /** A restore that has begun to copy. @returns its end */
  async function begun(target: string): Promise<{ readonly kill: () => void; readonly ended: Promise<unknown> }> {
    const restore = orb('restore', target, '--data', data, '--force');
    restore.stdout?.resume();
    restore.stderr?.resume();
    const ended = once(restore, 'close');
    while (restore.exitCode === null && !existsSync(`${file}.restoring`)) await delay(1);
    return { kill: () => restore.kill('SIGKILL'), ended };
  }

  it('has a whole ledger in its place whenever a restore is killed', async () => {
    const random = seededRandom(7);
    const target = join(folder, 'backup.sqlite');
    copyFileSync(file, target);
    const { ended: whole } = await begun(target);
    const beganAt = performance.now();
    await whole;
    const durationMs = performance.now() - beganAt;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const ledger = await open();
      const before = await ledger.logSize();
      await ledger.recordRun(aStart(100 + kill), aFinish(100 + kill));
      await ledger.close();
      const restore = await begun(target);
      await delay(random() * durationMs);
      restore.kill();
      await restore.ended;
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      const found = await open();
      const { size } = await checkLog(found, { logKey: testLogKeyPublic, tenants: ['acme'] });
      await found.close();
      expect(size).to.be.oneOf([1, before + 1]);
    }
  });
});
