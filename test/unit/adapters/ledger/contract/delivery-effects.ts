import { expect } from 'chai';
import type { DeliveryEffects, Ledger } from '../../../../../adapters/ledger/port.ts';
import {
  acceptAll,
  anOpening,
  aSignal,
  aState,
  deathOf,
  deliveryIdOf,
  effectsOf,
  incidentIdOf,
  SOURCE,
  workerLease,
} from '../../../../support/ingest-rows.ts';
import { incidentEntry } from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

/** Effects of every kind, with the next change of an incident. */
const whole = (number: number, expectedRevision = 0): DeliveryEffects =>
  effectsOf(number, {
    signals: [aSignal(number)],
    states: [aState(`f${number}`)],
    incidents: [anOpening(1, { expectedRevision, logEntry: incidentEntry({ incident_id: incidentIdOf(1) }) })],
  });

/** What deliveries left. */
async function traces(ledger: Ledger): Promise<unknown> {
  const { items } = await ledger.signals('acme', { limit: 200 });
  return {
    signals: items.map(({ signalId, repeatCount }) => [signalId, repeatCount]),
    states: (await ledger.signalStates(SOURCE, ['f1', 'f2', 'f3'])).length,
    revision: (await ledger.incident('acme', incidentIdOf(1)))?.revision,
    log: await ledger.logSize(),
    counts: await ledger.deliveryCounts(SOURCE),
  };
}

export function deliveryEffectContract({ it }: Contract): void {
  describe('effects of deliveries', () => {
    it('are applied once, also when they are told again, one by one or together', async (fixture) => {
      const { ledger } = fixture;
      await acceptAll(ledger, [1, 2]);
      const lease = await workerLease(ledger);
      const effects = [whole(1), whole(2, 1)];
      const applied = { kind: 'applied' };
      expect(await ledger.applyDeliveries(lease, effects)).to.deep.equal(applied);
      const before = await traces(ledger);
      const again = [effects, effects.slice(0, 1), effects.toReversed(), [whole(1), whole(1)]];
      for (const some of again) expect(await ledger.applyDeliveries(lease, some)).to.deep.equal(applied);
      expect(await ledger.applyDeliveries(lease, [effectsOf(9, { signals: [aSignal(9)] })])).to.deep.equal(applied);
      expect(await traces(await fixture.reopen())).to.deep.equal(before);
      expect(before).to.deep.equal({
        signals: [
          [aSignal(2).signalId, 0],
          [aSignal(1).signalId, 0],
        ],
        states: 2,
        revision: 2,
        log: 2,
        counts: { accepted: 0, done: 2, dead: 0 },
      });
    });

    it('of the same delivery are applied once within a call', async ({ ledger }) => {
      await acceptAll(ledger, [1]);
      const twice = [whole(1), whole(1, 1)];
      expect(await ledger.applyDeliveries(await workerLease(ledger), twice)).to.deep.equal({ kind: 'applied' });
      expect(await traces(ledger)).to.include({ revision: 1, log: 1 });
    });

    it('are applied by the holder of the lease alone', async ({ ledger, clock }) => {
      await acceptAll(ledger, [1]);
      const lease = await workerLease(ledger);
      const before = await traces(ledger);
      await clock.advance(60_000);
      expect(await ledger.acquireLease('ingest-worker', 'two', 1000)).to.equal(lease.epoch + 1);
      const lost = { kind: 'lost-lease' };
      for (const other of [lease, { ...lease, epoch: 0 }, { ...lease, epoch: 9 }, { name: 'none', epoch: 1 }])
        expect(await ledger.applyDeliveries(other, [whole(1)])).to.deep.equal(lost);
      expect(await traces(ledger)).to.deep.equal(before);
    });

    it('are refused together when an incident has another revision than they expect', async ({ ledger }) => {
      await acceptAll(ledger, [1, 2, 3]);
      const lease = await workerLease(ledger);
      await ledger.applyDeliveries(lease, [whole(1)]);
      const before = await traces(ledger);
      const stale = { kind: 'stale', incidentIds: [incidentIdOf(1)] };
      const wrongs = [[whole(2)], [whole(2, 2)], [whole(2, 1), whole(3, 1)], [effectsOf(2), whole(3, 2)]];
      for (const wrong of wrongs) expect(await ledger.applyDeliveries(lease, wrong)).to.deep.equal(stale);
      expect(await traces(ledger)).to.deep.equal(before);
      expect(await ledger.applyDeliveries(lease, [whole(2, 1), whole(3, 2)])).to.deep.equal({ kind: 'applied' });
      expect(await traces(ledger)).to.include({ revision: 3, log: 3 });
    });

    it('may be those of a dead delivery, whose signals are counted again when it is mapped', async ({ ledger }) => {
      await acceptAll(ledger, [1]);
      const lease = await workerLease(ledger);
      await ledger.applyDeliveries(lease, [{ ...deathOf(1), signals: [aSignal(1)] }]);
      await ledger.redrive('acme', { deliveryId: deliveryIdOf(1) });
      await ledger.applyDeliveries(lease, [effectsOf(1, { signals: [aSignal(1), aSignal(2)] })]);
      expect(await traces(ledger)).to.deep.include({
        signals: [
          [aSignal(2).signalId, 0],
          [aSignal(1).signalId, 1],
        ],
      });
    });

    it('of many deliveries are applied in slices, each whole', async ({ ledger }) => {
      const numbers = Array.from({ length: 12 }, (_, number) => number);
      await acceptAll(ledger, numbers);
      const lease = await workerLease(ledger);
      const many = numbers.map((number) =>
        effectsOf(number, {
          signals: numbers.flatMap((one) =>
            Array.from({ length: 25 }, (_, at) => aSignal(number * 1000 + one * 25 + at)),
          ),
        }),
      );
      const last = { ...effectsOf(11), incidents: [anOpening(1, { expectedRevision: 7 })] };
      const result = await ledger.applyDeliveries(lease, [...many.slice(0, 11), last]);
      expect(result).to.deep.equal({ kind: 'stale', incidentIds: [incidentIdOf(1)] });
      const { done, accepted } = await ledger.deliveryCounts(SOURCE);
      expect(done + accepted).to.equal(12);
      expect(done, 'slices before the refused one').to.be.within(1, 10);
      for (const { deliveryId } of await ledger.acceptedDeliveries({ limit: 200 }))
        expect((await ledger.signals('acme', { limit: 1, deliveryId })).items).to.deep.equal([]);
      expect(await ledger.applyDeliveries(lease, many)).to.deep.equal({ kind: 'applied' });
      for (const number of numbers) {
        const { items } = await ledger.signals('acme', { limit: 200, deliveryId: deliveryIdOf(number) });
        expect(items.length).to.equal(200);
      }
    });
  });
}
