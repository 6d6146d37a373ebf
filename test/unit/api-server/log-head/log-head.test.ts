import { expect } from 'chai';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Doubt } from '../../../../api-server/log-head/judge-head.ts';
import { LogHead } from '../../../../api-server/log-head/log-head.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { openSqliteLedger, type SqliteLedgerOptions } from '../../../../adapters/ledger/sqlite-ledger.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { interruptibleHead, type InterruptibleHeadStore } from '../../../support/held-head.ts';
import { recordLog, type RecordedLog } from '../../../support/kube/runtime-recorders.ts';
import { aFinish, aStart, LEDGER_NOW } from '../../../support/ledger-rows.ts';
import { refusal } from '../../../support/refusal.ts';
import { testLogKey, testLedgerOptions, writerOnThisThread } from '../../../support/sqlite-ledger.ts';

const otherPair = generateKeyPairSync('ed25519');
const otherLogKey = {
  privateKey: otherPair.privateKey,
  publicKey: Buffer.from(otherPair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'),
};

interface Process {
  readonly head: LogHead;
  readonly ledger: Ledger;
  readonly forks: string[];
  /** What each of them says to do. */
  readonly nexts: string[];
  readonly opened: number[];
  readonly log: RecordedLog;
}

const signedSize = (note: string | undefined): string | undefined => note?.split('\n')[1];

describe('LogHead (trust.md §2.3)', () => {
  let folder: string;
  let clock: FakeClock;
  let store: InterruptibleHeadStore;
  let open: Process[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-log-head-'));
    clock = createFakeClock(LEDGER_NOW);
    store = interruptibleHead();
    open = [];
  });
  afterEach(async () => {
    for (const process of open) await stop(process);
    rmSync(folder, { recursive: true });
  });

  const fileOf = (name: string): string => join(folder, name, 'ledger.sqlite');

  async function start(name = 'one', some: Partial<SqliteLedgerOptions> = {}): Promise<Process> {
    const log = recordLog();
    const head = new LogHead({ clock, logger: log.logger, keys: [(some.logKey ?? testLogKey).publicKey] });
    const options = { clock, gate: head.gate, onCheckpoint: head.signed, onFault: head.damaged, ...some };
    const ledger = await openSqliteLedger(
      testLedgerOptions(fileOf(name), { startWriter: writerOnThisThread, ...options }),
    );
    const [forks, nexts, opened]: [string[], string[], number[]] = [[], [], []];
    const process = { head, ledger, forks, nexts, opened, log };
    const forked = ({ why, next }: Doubt): void => void (forks.push(why), nexts.push(next));
    await head.follow({ ledger, store, opened: (size) => opened.push(size), forked });
    open.push(process);
    return process;
  }

  async function stop(process: Process): Promise<void> {
    open = open.filter((other) => other !== process);
    await process.ledger.close();
    await process.head.close();
  }

  /** A run with its receipt, and a checkpoint over it. */
  async function run({ ledger }: Process, number: number): Promise<void> {
    await ledger.recordRun(aStart(number), aFinish(number));
    await clock.advance(1000);
    await ledger.putState('test', 'after-the-checkpoint', '1');
  }

  it('keeps nothing without growth, and the newest checkpoint within 60 s of it', async () => {
    const process = await start();
    await clock.advance(120_000);
    expect(store.written).to.deep.equal([]);
    await run(process, 1);
    await run(process, 2);
    await clock.advance(59_000);
    expect(signedSize(store.head?.note)).to.equal('2');
    expect([process.head.isConsistent(), process.head.savedSize()]).to.deep.equal([true, 2]);
    const { length } = store.written;
    await clock.advance(600_000);
    expect(store.written).to.have.length(length);
  });

  it('keeps the first checkpoint within 2 s, and later ones at most four times a minute', async () => {
    const process = await start();
    await clock.advance(30_000);
    await run(process, 1);
    await clock.advance(2000);
    expect(store.written.map(signedSize)).to.deep.equal(['1']);
    for (let number = 2; number < 12; number += 1) await run(process, number);
    await clock.advance(60_000 - 10_000);
    expect(store.written.length).to.be.within(2, 5);
    expect(signedSize(store.head?.note)).to.equal('11');
  });

  it('keeps the last checkpoint at a stop, which is signed by the close of the ledger', async () => {
    const process = await start();
    await process.ledger.recordRun(aStart(1), aFinish(1));
    await stop(process);
    expect(store.written.map(signedSize)).to.deep.equal(['1']);
  });

  it('goes on from its own head after a restart', async () => {
    const first = await start();
    await run(first, 1);
    await stop(first);
    const second = await start();
    expect([second.head.isConsistent(), second.opened, second.head.savedSize()]).to.deep.equal([true, [1], 1]);
    await run(second, 2);
    await stop(second);
    expect(store.written.map(signedSize)).to.deep.equal(['1', '2']);
  });

  it('takes a ledger that the head is behind of, as after a kill', async () => {
    const first = await start();
    await run(first, 1);
    await clock.advance(15_000);
    await run(first, 2);
    await run(first, 3);
    await first.ledger.close(); // no last write of the head
    open = [];
    const second = await start();
    expect([store.written.map(signedSize), second.head.isConsistent()]).to.deep.equal([['1'], true]);
  });

  /** Two runs, a copy of the ledger after the first of them. */
  async function copied(): Promise<void> {
    const first = await start();
    await run(first, 1);
    await stop(first);
    cpSync(join(folder, 'one'), join(folder, 'copy'), { recursive: true });
    const second = await start();
    await run(second, 2);
    await stop(second);
  }

  it('refuses a restored ledger: nothing grows, nothing is signed, reads go on', async () => {
    await copied();
    const process = await start('copy');
    expect(process.forks).to.deep.equal(['the log had 2 entries when it was last signed, and this ledger has 1']);
    expect(process.nexts[0]).to.include('orb ledger restore').and.to.include('orb ledger adopt --new-origin');
    expect([process.head.isConsistent(), process.opened]).to.deep.equal([false, []]);
    const { ledger } = process;
    for (const write of [
      ledger.startRun(aStart(7)),
      ledger.recordRun(aStart(7), aFinish(7)),
      ledger.finishRun(aFinish(7)),
      ledger.appendEntries(['{}']),
    ])
      expect(await refusal(write)).to.have.property('code', 'ledger-forked');
    expect([await ledger.logSize(), signedSize((await ledger.checkpoint())?.note)]).to.deep.equal([1, '1']);
    await ledger.putState('test', 'key', '1');
    await stop(process);
    expect(signedSize(store.head?.note)).to.equal('2');
  });

  it('refuses a ledger that is longer than the head, and another one', async () => {
    await copied();
    const real = store;
    store = interruptibleHead();
    const process = await start('copy');
    await run(process, 3);
    await run(process, 4);
    await stop(process);
    store = real;
    const again = await start('copy');
    expect(again.forks).to.deep.equal(['the first 2 entries of this ledger are not those that were signed']);
  });

  it('refuses an empty ledger where there was a log', async () => {
    await copied();
    const process = await start('empty');
    expect(process.forks[0]).to.include('this ledger has 0');
    expect(process.opened).to.deep.equal([]);
  });

  const damaged: readonly (readonly [string, string])[] = [
    ['empty', ''],
    ['cut', 'orbs.example/log\n1\n'],
    ['of another platform', 'other.example/log\n1\nAAAA\n\n— other.example/log c2ln\n'],
    ['of a later origin', 'orbs.example/log-2\n1\nAAAA\n\n— orbs.example/log-2 c2ln\n'],
  ];
  for (const [why, note] of damaged)
    it(`takes a head that is ${why} for a doubt, not for none`, async () => {
      store.head = { note, version: '1' };
      const process = await start();
      expect(process.forks[0]).to.include('no checkpoint that a key of this platform signed');
      expect(process.nexts[0]).to.include('Restore the keys').and.to.include('delete it');
      expect(store.written).to.deep.equal([]);
      store.head = undefined;
      expect((await start('two')).head.isConsistent()).to.equal(true);
    });

  for (const isHeadLeft of [true, false])
    it(`goes on with no ledger that other keys signed, ${isHeadLeft ? 'with' : 'without'} a head`, async () => {
      const first = await start();
      await run(first, 1);
      await stop(first);
      if (!isHeadLeft) store.head = undefined;
      const left = store.head?.note;
      const process = await start('one', { logKey: otherLogKey });
      expect(process.forks).to.deep.equal(['the ledger was signed with other keys than those of this platform']);
      expect(process.nexts[0]).to.include('Restore the keys').and.not.to.include('delete it');
      expect(await refusal(process.ledger.startRun(aStart(2)))).to.have.property('code', 'ledger-forked');
      await stop(process);
      expect([store.head?.note, (await (await start()).ledger.checkpoint())?.size]).to.deep.equal([left, 1]);
    });

  it('takes a head with one changed byte of its root for a doubt', async () => {
    await copied();
    const note = store.head?.note ?? '';
    const lines = note.split('\n');
    lines[2] = Buffer.alloc(32, 1).toString('base64');
    store.head = { note: lines.join('\n'), version: store.head?.version ?? '' };
    expect((await start()).forks[0]).to.include('no checkpoint');
  });

  it('waits while the head can not be read: no run, nothing signed, and goes on when it can', async () => {
    const first = await start();
    await run(first, 1);
    await first.ledger.recordRun(aStart(2), aFinish(2));
    await stop(first);
    store.isAway = true;
    const process = await start();
    const waited = process.head.ready(new AbortController().signal);
    expect(await refusal(process.ledger.startRun(aStart(3)))).to.have.property('code', 'ledger-unavailable');
    await clock.advance(60_000);
    expect([process.head.isConsistent(), process.log.lines.length]).to.deep.equal([false, 1]);
    store.isAway = false;
    await clock.advance(2000);
    await process.ledger.logSize();
    expect(await waited).to.equal(true);
    expect((await process.ledger.startRun(aStart(3))).kind).to.equal('started');
  });

  it('signs what a crash left unsigned when the gate opens, not before', async () => {
    const first = await start();
    await run(first, 1);
    cpSync(join(folder, 'one'), join(folder, 'before'), { recursive: true });
    await first.ledger.recordRun(aStart(2), aFinish(2));
    cpSync(join(folder, 'one'), join(folder, 'crashed'), { recursive: true });
    store.isAway = true;
    const process = await start('crashed');
    expect([await process.ledger.logSize(), (await process.ledger.checkpoint())?.size]).to.deep.equal([2, 1]);
    store.isAway = false;
    await clock.advance(3000);
    await process.head.ready(new AbortController().signal);
    await clock.advance(1000);
    await process.ledger.putState('test', 'turn', '1');
    expect((await process.ledger.checkpoint())?.size).to.equal(2);
  });

  it('stops signing when another process moved the head on meanwhile', async () => {
    await copied();
    const real = store;
    store = interruptibleHead();
    const process = await start('copy');
    store.head = real.head;
    await run(process, 3);
    await clock.advance(15_000);
    await process.ledger.logSize();
    await clock.advance(1000);
    expect(process.forks).to.have.length(1);
    expect(await refusal(process.ledger.startRun(aStart(9)))).to.have.property('code', 'ledger-forked');
  });

  it('begins no new origin with other keys', async () => {
    await copied();
    const identity = { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log-2' };
    const process = await start('copy', { identity, logKey: otherLogKey });
    expect([process.forks.length, process.head.isConsistent()]).to.deep.equal([1, false]);
    expect(process.nexts[0]).to.include('Restore the keys');
    await stop(process);
    expect(store.head?.note.split('\n').slice(0, 2)).to.deep.equal(['orbs.example/log', '2']);
  });

  it('begins a new origin from a refused ledger, whose entries are signed again under it', async () => {
    await copied();
    const identity = { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log-2' };
    const process = await start('copy', { identity });
    expect([process.forks, process.head.isConsistent()]).to.deep.equal([[], true]);
    await clock.advance(1000);
    await process.ledger.putState('test', 'after-the-checkpoint', '1');
    await clock.advance(2000);
    expect(store.head?.note.split('\n').slice(0, 2)).to.deep.equal(['orbs.example/log-2', '1']);
    await run(process, 3);
    await stop(process);
    expect(store.head?.note.split('\n').slice(0, 2)).to.deep.equal(['orbs.example/log-2', '2']);
    const again = await start('copy', { identity });
    expect(again.head.isConsistent()).to.equal(true);
  });
});
