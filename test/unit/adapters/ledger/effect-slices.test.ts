import { statSync } from 'node:fs';
import { expect } from 'chai';
import type { DeliveryEffects } from '../../../../adapters/ledger/port.ts';
import { acceptAll, aSignal, effectsOf, SOURCE, workerLease } from '../../../support/ingest-rows.ts';
import { aFinish, aStart } from '../../../support/ledger-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const EVENTS = 99;

const numbersTo = (end: number): readonly number[] => Array.from({ length: end }, (_, number) => number);

/** Effects of so many deliveries, each of 100 rows: its signals and its end. */
const effects = (from: number, count: number): readonly DeliveryEffects[] =>
  Array.from({ length: count }, (_, at) =>
    effectsOf(from + at, {
      signals: Array.from({ length: EVENTS }, (__, event) => aSignal((from + at) * 1000 + event)),
    }),
  );

describe('slices of effects', () => {
  let fixture: SqliteFixture;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
  });
  afterEach(() => fixture.dispose());

  it('hold 800 rows, and 200 while runs are written, so that these wait less', async () => {
    const { ledger } = fixture;
    const lease = await workerLease(ledger);
    await acceptAll(ledger, numbersTo(100));
    const groupsOf = async (from: number, count: number): Promise<number> => {
      const before = ledger.commits().groups;
      expect(await ledger.applyDeliveries(lease, effects(from, count))).to.deep.equal({ kind: 'applied' });
      return ledger.commits().groups - before;
    };
    expect([await groupsOf(0, 8), await groupsOf(8, 9)]).to.deep.equal([1, 2]);
    await ledger.recordRun(aStart(1), aFinish(1));
    expect(await groupsOf(17, 11), 'behind a run').to.equal(6);
    await ledger.recordRun(aStart(2), aFinish(2));
    expect(await groupsOf(28, 56), '20 small ones behind a run, then 2 large ones').to.equal(22);
    expect((await ledger.deliveryCounts(SOURCE)).done).to.equal(84);
  });

  it('keep the WAL as short as runs do: each counts as its rows', async () => {
    const { ledger, options } = fixture;
    const lease = await workerLease(ledger);
    const json = 'x'.repeat(900);
    await acceptAll(ledger, numbersTo(40));
    for (const number of numbersTo(40)) {
      const signals = Array.from({ length: EVENTS }, (_, event) => aSignal(number * 1000 + event, { json }));
      await ledger.applyDeliveries(lease, [effectsOf(number, { signals })]);
    }
    const pages = statSync(`${options.file}-wal`).size / 8192;
    expect(pages).to.be.lessThan(500 + 250);
  });

  it('hold one delivery at least, however many rows it has', async () => {
    const { ledger } = fixture;
    const lease = await workerLease(ledger);
    await acceptAll(ledger, [1]);
    const signals = Array.from({ length: 900 }, (_, event) => aSignal(event));
    expect(await ledger.applyDeliveries(lease, [effectsOf(1, { signals })])).to.deep.equal({ kind: 'applied' });
    expect((await ledger.signals('acme', { limit: 200 })).items.length).to.equal(200);
    expect((await ledger.deliveryCounts(SOURCE)).done).to.equal(1);
  });
});
