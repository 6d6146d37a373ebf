import { expect } from 'chai';
import type { IngestErasure, Ledger, SourceErasure } from '../../../../../adapters/ledger/port.ts';
import {
  acceptAll,
  aDelivery,
  aSignal,
  aState,
  deathOf,
  deliveryIdOf,
  effectsOf,
  ROOMY,
  SOURCE,
  workerLease,
} from '../../../../support/ingest-rows.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NONE: SourceErasure = { rawBefore: 0, signalsBefore: 0 };

const erase = (ledger: Ledger, change: Partial<IngestErasure> = {}): Promise<number> =>
  ledger.eraseIngestion({
    sources: new Map(),
    others: NONE,
    deadBefore: 0,
    bytesPerSource: 1_000_000,
    bytesInAll: 1_000_000,
    limit: 2,
    ...change,
  });

/** Maps deliveries of a source, each to a signal and a state. */
async function mapAll(ledger: Ledger, numbers: readonly number[], source = SOURCE): Promise<void> {
  await acceptAll(ledger, numbers, { source });
  const effects = numbers.map((number) =>
    effectsOf(number, {
      signals: [aSignal(number)],
      states: [aState(`f${number}`, { updatedAt: LEDGER_NOW + number })],
    }),
  );
  await ledger.applyDeliveries(await workerLease(ledger), effects);
}

const bytesOf = async (ledger: Ledger, source = SOURCE): Promise<number | undefined> =>
  (await ledger.sourceCounts()).find((counts) => counts.source === source)?.bodyBytes;

const signalsOf = async (ledger: Ledger): Promise<readonly string[]> =>
  (await ledger.signals('acme', { limit: 200 })).items.map(({ signalId }) => signalId);

const BODY = aDelivery(1).raw.length;

/** Whether a source that sends this delivery again is told that it did. */
const isKnown = async (ledger: Ledger, number: number): Promise<boolean> =>
  (await ledger.acceptDelivery(aDelivery(number), { perSource: 0, inAll: 0 })).kind === 'duplicate';

export function ingestRetentionContract({ it }: Contract): void {
  describe('retention of ingestion', () => {
    it('erases bodies of mapped deliveries before a time, and none of one that waits', async ({ ledger }) => {
      await mapAll(ledger, [1, 2, 3, 4]);
      await acceptAll(ledger, [5]);
      const others = { ...NONE, rawBefore: LEDGER_NOW + 4 };
      expect(await erase(ledger, { others })).to.equal(3);
      expect([await bytesOf(ledger), await erase(ledger, { others })]).to.deep.equal([2 * BODY, 0]);
      expect(await erase(ledger, { others: { ...NONE, rawBefore: LEDGER_NOW + DAY_MS } })).to.equal(1);
      expect((await ledger.acceptedDeliveries({ limit: 9 }))[0]?.raw).to.deep.equal(aDelivery(5).raw);
      expect((await signalsOf(ledger)).length).to.equal(4);
    });

    it('goes by source: each has its own times', async ({ ledger }) => {
      await mapAll(ledger, [1, 2]);
      await mapAll(ledger, [3, 4], 'acme/other');
      const later = { rawBefore: LEDGER_NOW + 9, signalsBefore: 0 };
      expect(await erase(ledger, { sources: new Map([[SOURCE, later]]) })).to.equal(2);
      expect([await bytesOf(ledger), await bytesOf(ledger, 'acme/other')]).to.deep.equal([0, 2 * BODY]);
      const sources = new Map([[SOURCE, NONE]]);
      expect(await erase(ledger, { sources, others: later })).to.equal(2);
      expect(await bytesOf(ledger, 'acme/other')).to.equal(0);
    });

    it('erases signals and states before a time, and keeps the keys of their deliveries for 80 h', async (fixture) => {
      const { ledger, clock } = fixture;
      await mapAll(ledger, [1, 2, 3]);
      const others = { rawBefore: LEDGER_NOW + 9, signalsBefore: LEDGER_NOW + 3 };
      expect(await erase(ledger, { others }), '3 bodies, 2 signals, 2 states').to.equal(7);
      expect(await signalsOf(ledger)).to.deep.equal([aSignal(3).signalId]);
      expect((await ledger.signalStates(SOURCE, ['f1', 'f2', 'f3'])).length).to.equal(1);
      await clock.advance(80 * HOUR_MS + 1);
      expect(await erase(ledger, { others })).to.equal(0);
      expect([await isKnown(ledger, 1), await isKnown(ledger, 2)]).to.deep.equal([true, true]);
      await clock.advance(1);
      expect(await erase(ledger, { others }), 'the row of the first').to.equal(1);
      await clock.advance(DAY_MS);
      expect(await erase(ledger, { others }), 'the row of the second').to.equal(1);
      const reopened = await fixture.reopen();
      const known = [1, 2, 3].map((number) => isKnown(reopened, number));
      expect(await Promise.all(known)).to.deep.equal([false, false, true]);
      expect(await reopened.signal('acme', aSignal(3).signalId)).to.include({ deliveryId: deliveryIdOf(3) });
      expect(await reopened.deliveryCounts(SOURCE)).to.deep.equal({ accepted: 0, done: 3, dead: 0 });
    });

    it('erases dead letters before a time', async ({ ledger, clock }) => {
      await acceptAll(ledger, [1, 2, 3]);
      await ledger.applyDeliveries(await workerLease(ledger), [deathOf(1), deathOf(2), deathOf(3)]);
      const later = { rawBefore: LEDGER_NOW + 9, signalsBefore: LEDGER_NOW + 9 };
      expect(await erase(ledger, { others: later }), 'a dead letter is not mapped').to.equal(0);
      expect(await erase(ledger, { deadBefore: LEDGER_NOW + 3 })).to.equal(2);
      const left = (await ledger.deadLetters('acme', { limit: 9 })).items;
      expect(left.map(({ deliveryId }) => deliveryId)).to.deep.equal([deliveryIdOf(3)]);
      expect(await ledger.deliveryCounts(SOURCE)).to.deep.equal({ accepted: 0, done: 0, dead: 1 });
      expect(await bytesOf(ledger)).to.equal(BODY);
      expect(await isKnown(ledger, 1)).to.equal(true);
      await clock.advance(4 * DAY_MS);
      expect(await erase(ledger, { others: later })).to.equal(2);
      expect(await isKnown(ledger, 1)).to.equal(false);
    });

    it('erases bodies above the bytes of a source: mapped ones first, then dead letters, the oldest first', async ({
      ledger,
    }) => {
      await acceptAll(ledger, [1, 2, 3, 4, 5, 6]);
      const lease = await workerLease(ledger);
      await ledger.applyDeliveries(lease, [deathOf(1), deathOf(2), effectsOf(3), effectsOf(4), effectsOf(5)]);
      expect(await erase(ledger, { bytesPerSource: 5 * BODY })).to.equal(1);
      expect(await erase(ledger, { bytesPerSource: 5 * BODY })).to.equal(0);
      expect(await erase(ledger, { bytesPerSource: 2 * BODY + 1 })).to.equal(3);
      const letters = await Promise.all([1, 2].map((number) => ledger.deadLetter('acme', deliveryIdOf(number))));
      expect(letters.map((letter) => [letter?.hasBody, letter?.raw === undefined])).to.deep.equal([
        [false, true],
        [true, false],
      ]);
      expect(await erase(ledger, { bytesPerSource: 0 })).to.equal(1);
      expect(await ledger.redrive('acme', { source: SOURCE, max: 9 }), 'none has a body').to.equal(0);
      expect(await bytesOf(ledger), 'that of the one that waits').to.equal(BODY);
    });

    it('erases bodies above the bytes of all sources, the oldest first', async ({ ledger }) => {
      await mapAll(ledger, [1, 2]);
      await mapAll(ledger, [3, 4], 'acme/other');
      await acceptAll(ledger, [5], { source: 'acme/waits' });
      await acceptAll(ledger, [6]);
      await ledger.applyDeliveries(await workerLease(ledger), [deathOf(6)]);
      expect(await erase(ledger, { bytesInAll: 3 * BODY })).to.equal(3);
      const left = ['acme/other', 'acme/waits', SOURCE].map((source) => bytesOf(ledger, source));
      expect(await Promise.all(left)).to.deep.equal([BODY, BODY, BODY]);
      expect(await erase(ledger, { bytesInAll: 0 })).to.equal(2);
      expect(await bytesOf(ledger, 'acme/waits')).to.equal(BODY);
    });

    it('never changes the log, nor a run', async ({ ledger }) => {
      await ledger.appendEntries(['{}']);
      await mapAll(ledger, [1, 2, 3]);
      await erase(ledger, { others: { rawBefore: LEDGER_NOW + DAY_MS, signalsBefore: LEDGER_NOW + DAY_MS } });
      expect([await ledger.logSize(), await signalsOf(ledger)]).to.deep.equal([1, []]);
    });

    it('needs whole numbers, and a limit', async ({ ledger }) => {
      await ledger.acceptDelivery(aDelivery(1), ROOMY);
      const wrong: readonly Partial<IngestErasure>[] = [
        { others: { ...NONE, rawBefore: 0.5 } },
        { others: { ...NONE, signalsBefore: Number.NaN } },
        { deadBefore: 0.5 },
        { bytesPerSource: 0.5 },
        { bytesInAll: Infinity },
        { limit: 0 },
        { limit: 1001 },
      ];
      for (const change of wrong) expect(await refusal(erase(ledger, change))).to.be.instanceOf(TypeError);
    });
  });
}
