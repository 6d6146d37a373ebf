import { expect } from 'chai';
import { Registry } from 'prom-client';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import type { CheckedLedger } from '../../../../adapters/ledger/sqlite-check/check-in-thread.ts';
import type { FoundFaults } from '../../../../adapters/ledger/sqlite-check/findings.ts';
import { LedgerChecks } from '../../../../api-server/log-head/ledger-checks.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { recordLog, type RecordedLog } from '../../../support/kube/runtime-recorders.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';

const HOUR_MS = 3_600_000;
const LOG_FAULT: FoundFaults = { log: { count: 3, first: 'entry 7 differs from its hash' } };
const RECEIPT_FAULT: FoundFaults = { receipts: { count: 1, first: 'the receipt of entry 9 differs from its digest' } };

describe('LedgerChecks', () => {
  let clock: FakeClock;
  let stored: Map<string, string>;
  let log: RecordedLog;
  let damage: string[];
  let registry: Registry;
  let made: number;
  let running: LedgerChecks | undefined;
  beforeEach(() => {
    clock = createFakeClock(LEDGER_NOW);
    stored = new Map();
    made = 0;
  });
  afterEach(() => running?.close());

  /** A process that finds these faults, or can't read its ledger. */
  async function start(faults: FoundFaults | LedgerError): Promise<void> {
    log = recordLog();
    damage = [];
    registry = new Registry();
    running = new LedgerChecks({
      ledger: {
        state: async (kind, key) => stored.get(`${kind}/${key}`),
        putState: async (kind, key, json) => void stored.set(`${kind}/${key}`, json),
      },
      check: async (): Promise<CheckedLedger> => {
        made += 1;
        if (faults instanceof LedgerError) throw faults;
        return { size: 10, faults, cpuMs: 1 };
      },
      clock,
      logger: log.logger,
      registry,
      damaged: (why) => void damage.push(why),
    });
    await running.open();
    running.begin();
  }

  async function metric(name: string): Promise<number | undefined> {
    const value = new RegExp(`^${name} (.*)$`, 'm').exec(await registry.metrics())?.[1];
    return value === undefined ? undefined : Number(value);
  }

  it('reads the ledger soon after the first start, and then once a day', async () => {
    await start({});
    await clock.advance(9000);
    expect([made, await metric('orb_ledger_unchecked_seconds')]).to.deep.equal([0, 9]);
    await clock.advance(2000);
    expect(made).to.equal(1);
    expect(await metric('orb_ledger_unchecked_seconds')).to.equal(1);
    await clock.advance(23 * HOUR_MS);
    expect(made).to.equal(1);
    await clock.advance(HOUR_MS);
    expect([made, damage]).to.deep.equal([2, []]);
  });

  it('knows after a restart when the last check was', async () => {
    await start({});
    await clock.advance(10_000);
    await running?.close();
    await clock.advance(HOUR_MS);
    await start({});
    expect(await metric('orb_ledger_unchecked_seconds')).to.equal(3600);
    await clock.advance(22 * HOUR_MS);
    expect(made).to.equal(1);
    await clock.advance(HOUR_MS);
    expect(made).to.equal(2);
  });

  it('reads the ledger soon when the last check has a time that is still to come: the clock went back', async () => {
    const tomorrow = LEDGER_NOW + 24 * HOUR_MS;
    stored.set('ledger-check/last', JSON.stringify({ since: tomorrow, finishedAt: tomorrow, faults: {} }));
    await start({});
    await clock.advance(10_000);
    expect(made).to.equal(1);
    await clock.advance(HOUR_MS);
    expect(await metric('orb_ledger_unchecked_seconds')).to.equal(3600);
  });

  it('counts the time without a check over restarts, when none was ever finished', async () => {
    await start(new LedgerError('ledger-unavailable', 'its disk reports an error'));
    await clock.advance(10_000);
    expect(log.texts()).to.include('warn the check of the ledger could not be finished');
    await clock.advance(HOUR_MS);
    expect(made).to.equal(2);
    await running?.close();
    await start({});
    expect(await metric('orb_ledger_unchecked_seconds')).to.equal(3610);
  });

  it('closes the log when it finds damage, and again at the next start, before a check', async () => {
    await start(LOG_FAULT);
    await clock.advance(10_000);
    const expected = ['the ledger is damaged: entry 7 differs from its hash'];
    expect([damage, await metric('orb_ledger_faults{part="log"}')]).to.deep.equal([expected, 3]);
    await running?.close();
    await start({});
    expect([damage, made, await metric('orb_ledger_faults{part="log"}')]).to.deep.equal([expected, 1, 3]);
    await clock.advance(10_000);
    expect([made, await metric('orb_ledger_faults{part="log"}')]).to.deep.equal([2, 0]);
    expect(log.texts().join('\n')).to.include('the ledger is whole again');
    await running?.close();
    await start({});
    expect(damage).to.deep.equal([]);
  });

  it('reports a damaged receipt, and lets the log grow: what is signed does not rest on it', async () => {
    await start(RECEIPT_FAULT);
    await clock.advance(10_000);
    expect([damage, await metric('orb_ledger_faults{part="receipts"}')]).to.deep.equal([[], 1]);
    expect(log.lines.find(({ text }) => text === 'error the ledger is damaged')?.fields).to.deep.equal({
      part: 'receipts',
      faults: 1,
      first: 'the receipt of entry 9 differs from its digest',
    });
  });

  it('takes a row that it can not read for none', async () => {
    stored.set('ledger-check/last', '{"since":"yesterday"}');
    await start({});
    await clock.advance(10_000);
    expect([made, await metric('orb_ledger_faults{part="file"}')]).to.deep.equal([1, 0]);
  });
});
