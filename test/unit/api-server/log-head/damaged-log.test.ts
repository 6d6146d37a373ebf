import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Doubt } from '../../../../api-server/log-head/judge-head.ts';
import { LogHead } from '../../../../api-server/log-head/log-head.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../../../adapters/ledger/sqlite-ledger.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { interruptibleHead, type InterruptibleHeadStore } from '../../../support/held-head.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';
import { aFinish, aStart, LEDGER_NOW } from '../../../support/ledger-rows.ts';
import { refusal } from '../../../support/refusal.ts';
import { testLogKey, testLedgerOptions, writerOnThisThread } from '../../../support/sqlite-ledger.ts';

interface Process {
  readonly head: LogHead;
  readonly ledger: Ledger;
  readonly forks: string[];
  readonly nexts: string[];
  readonly opened: number[];
}

/** Flips one bit of a text in a closed ledger's file, wherever the text stands: a page may hold an erased copy. */
function flipBitInFile(file: string, text: string): void {
  const bytes = readFileSync(file);
  const first = bytes.indexOf(text);
  expect(first, 'the text is in the file').to.be.greaterThan(0);
  for (let at = first; at >= 0; at = bytes.indexOf(text, at + 1)) {
    const place = at + Math.floor(text.length / 2);
    bytes[place] = (bytes[place] ?? 0) ^ 1;
  }
  writeFileSync(file, bytes);
}

describe('a log that was damaged', () => {
  let folder: string;
  let clock: FakeClock;
  let store: InterruptibleHeadStore;
  let open: Process[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-damaged-'));
    clock = createFakeClock(LEDGER_NOW);
    store = interruptibleHead();
    open = [];
  });
  afterEach(async () => {
    for (const process of open) await stop(process);
    rmSync(folder, { recursive: true });
  });

  const file = (): string => join(folder, 'ledger.sqlite');

  async function start(): Promise<Process> {
    const head = new LogHead({ clock, logger: recordLog().logger, keys: [testLogKey.publicKey] });
    const options = { clock, gate: head.gate, onCheckpoint: head.signed, onFault: head.damaged };
    const ledger = await openSqliteLedger(testLedgerOptions(file(), { startWriter: writerOnThisThread, ...options }));
    const [forks, nexts, opened]: [string[], string[], number[]] = [[], [], []];
    const process = { head, ledger, forks, nexts, opened };
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

  it('opens a ledger with a flipped bit in a new entry: reads go on, nothing grows, nothing is signed', async () => {
    const first = await start();
    await run(first, 1);
    await run(first, 2);
    const [entry = ''] = await first.ledger.entries(0, 1);
    const kept = (await first.ledger.checkpoint())?.note;
    await stop(first);
    flipBitInFile(file(), entry);
    const process = await start();
    expect(process.forks).to.have.length(1);
    expect(process.forks[0]).to.include('its newest entries differ from their hashes');
    expect(process.nexts[0]).to.include('orb ledger restore');
    expect([process.head.isConsistent(), process.opened]).to.deep.equal([false, []]);
    for (const write of [process.ledger.startRun(aStart(7)), process.ledger.appendEntries(['{}'])])
      expect(await refusal(write)).to.have.property('code', 'ledger-forked');
    await clock.advance(60_000);
    expect([await process.ledger.logSize(), (await process.ledger.checkpoint())?.note]).to.deep.equal([2, kept]);
    expect((await process.ledger.receiptOfRun('acme', aStart(2).runId))?.logIndex).to.equal(1);
    await process.ledger.putState('test', 'key', '1');
  });

  it('lets the log grow no more once damage is found, and says it once', async () => {
    const process = await start();
    await run(process, 1);
    process.head.damaged('entry 7 differs from its hash');
    process.head.damaged('entry 8 differs from its hash');
    expect(process.forks).to.deep.equal(['entry 7 differs from its hash']);
    expect(await refusal(process.ledger.startRun(aStart(2)))).to.have.property('code', 'ledger-forked');
    expect(process.head.isConsistent()).to.equal(false);
  });

  it('takes a missing tile under the head for a doubt, as another try can not find it', async () => {
    const first = await start();
    await run(first, 1);
    await stop(first);
    const db = new DatabaseSync(file());
    db.exec('DELETE FROM log_tiles');
    db.close();
    const process = await start();
    expect([process.forks.length, process.head.isConsistent()]).to.deep.equal([1, false]);
  });
});
