import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { LedgerError, type Ledger } from '../../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { checkLog } from '../../support/check-log.ts';
import { aFinish, aStart } from '../../support/ledger-rows.ts';
import { testLogKeyPublic, testLedgerOptions } from '../../support/sqlite-ledger.ts';

const canMount = (folder: string): boolean =>
  spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=4m', 'orb-test', folder]).status === 0;

/** Leaves so many bytes free. */
function fill(folder: string, leave: number): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - leave)));
}

/** Records runs until one is refused; returns how many were acknowledged and the refusal. */
async function recordUntilRefused(ledger: Ledger, from: number): Promise<readonly [number, unknown]> {
  for (let number = from; ; number += 1) {
    try {
      await ledger.recordRun(aStart(number), aFinish(number));
    } catch (error) {
      return [number - from, error];
    }
  }
}

describe('a ledger on a full disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-full-'));
  let mounted = false;
  let ledger: Ledger | undefined;

  // Without the right to mount (no root) a small disk can't be had: test/unit has the same with a size-capped file.
  before(function mountOrSkip() {
    mounted = canMount(folder);
    if (!mounted) this.skip();
  });
  after(async () => {
    await ledger?.close();
    if (mounted) spawnSync('/bin/umount', [folder]);
    rmSync(folder, { recursive: true });
  });

  const open = (name: string): Promise<Ledger> =>
    openSqliteLedger(
      testLedgerOptions(join(folder, name, 'ledger.sqlite'), { clock: systemClock, random: randomBytes }),
    );

  it('refuses what it can not keep, serves what it has, and goes on when there is room again', async () => {
    const opened = await open('live');
    ledger = opened;
    await opened.startRun(aStart(0));
    fill(folder, 300_000);
    const [kept, refused] = await recordUntilRefused(opened, 1);
    expect(refused).to.be.instanceOf(LedgerError).with.property('code', 'ledger-unavailable');
    expect(refused)
      .to.have.property('message')
      .that.matches(/disk is full/);
    expect(refused).to.have.property('retryable', true);
    expect((await opened.receiptOfRun('acme', aStart(kept).runId))?.tenant).to.equal('acme');
    expect(await opened.logSize()).to.equal(kept);

    rmSync(join(folder, 'filler'));
    expect(await opened.finishRun(aFinish(0))).to.deep.equal({ kind: 'finished' });
    const more = Array.from({ length: 100 }, (_, at) => 2_000_000 + at);
    await Promise.all(more.map((number) => opened.recordRun(aStart(number), aFinish(number))));
    const numbers = [...Array.from({ length: kept + 1 }, (_, number) => number), ...more];
    const closedRuns = numbers.map((number) => aStart(number));
    const checked = await checkLog(opened, { logKey: testLogKeyPublic, tenants: ['acme'], closedRuns });
    expect(checked.receipts).to.equal(numbers.length);
  });

  it('is opened again after a kill, and serves what it has', async () => {
    await ledger?.startRun(aStart(9_000_000)); // in the WAL
    const size = await ledger?.logSize();
    while ((await ledger?.checkpoint())?.size !== size) await delay(20);
    cpSync(join(folder, 'live'), join(folder, 'killed'), { recursive: true });
    fill(folder, 0);
    const opened = await open('killed');
    try {
      expect([await opened.logSize(), (await opened.receiptOfRun('acme', aStart(0).runId))?.tenant]).to.deep.equal([
        size,
        'acme',
      ]);
      expect((await recordUntilRefused(opened, 5_000_000))[1]).to.have.property('code', 'ledger-unavailable');
      rmSync(join(folder, 'filler'));
      expect(await opened.finishRun(aFinish(9_000_000))).to.deep.equal({ kind: 'finished' });
    } finally {
      await opened.close();
    }
  });
});
