import { expect } from 'chai';
import type { Ledger, NewSignal, SignalQuery, SignalState } from '../../../../../adapters/ledger/port.ts';
import {
  acceptAll,
  aSignal,
  aState,
  deathOf,
  deliveryIdOf,
  effectsOf,
  SOURCE,
  workerLease,
} from '../../../../support/ingest-rows.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

/** Writes signals as those of one delivery. */
async function tell(ledger: Ledger, number: number, signals: readonly NewSignal[], source = SOURCE): Promise<void> {
  await acceptAll(ledger, [number], { source });
  await ledger.applyDeliveries(await workerLease(ledger), [effectsOf(number, { signals })]);
}

const idsOf = async (ledger: Ledger, query: Partial<SignalQuery> = {}): Promise<readonly string[]> =>
  (await ledger.signals('acme', { limit: 200, ...query })).items.map(({ signalId }) => signalId);

const ids = (...numbers: readonly number[]): readonly string[] => numbers.map((number) => aSignal(number).signalId);

export function signalContract({ it }: Contract): void {
  describe('signals', () => {
    it('are kept with their delivery, for its tenant', async (fixture) => {
      await tell(fixture.ledger, 1, [aSignal(1), aSignal(2, { orbId: null, provider: 'api.sendgrid.com' })]);
      const ledger = await fixture.reopen();
      const kept = { tenant: 'acme', source: SOURCE, deliveryId: deliveryIdOf(1), repeatCount: 0 };
      const stored = { ...aSignal(1), ...kept, lastSeen: LEDGER_NOW + 1 };
      expect(await ledger.signal('acme', aSignal(1).signalId)).to.deep.equal(stored);
      expect((await ledger.signals('acme', { limit: 2 })).items[1]).to.deep.equal(stored);
      expect((await ledger.signal('acme', aSignal(2).signalId))?.provider).to.equal('api.sendgrid.com');
      expect(await ledger.signal('globex', aSignal(1).signalId)).to.equal(undefined);
      expect((await ledger.signals('globex', { limit: 9 })).items).to.deep.equal([]);
      expect((await ledger.signals('globex', { limit: 9, deliveryId: deliveryIdOf(1) })).items).to.deep.equal([]);
    });

    it('are counted when they come again from the same source, and keep what came first', async ({ ledger }) => {
      const { semanticKey } = aSignal(1);
      await tell(ledger, 1, [aSignal(1)]);
      await tell(ledger, 2, [aSignal(2, { semanticKey }), aSignal(3, { semanticKey, at: LEDGER_NOW })]);
      await tell(ledger, 3, [aSignal(4, { semanticKey })], 'acme/other');
      const repeated = { json: aSignal(1).json, repeatCount: 2, lastSeen: LEDGER_NOW + 2, at: LEDGER_NOW + 1 };
      expect(await ledger.signal('acme', aSignal(1).signalId)).to.include(repeated);
      expect(await idsOf(ledger)).to.deep.equal(ids(4, 1));
    });

    it('are listed newest first, page by page, by what they are', async ({ ledger }) => {
      const at = LEDGER_NOW + 10;
      await tell(ledger, 1, [aSignal(1), aSignal(2, { status: 'resolved' }), aSignal(3, { at }), aSignal(4, { at })]);
      await tell(ledger, 2, [aSignal(5, { orbId: 'acme.other@1.0.0' })], 'acme/other');
      const first = await ledger.signals('acme', { limit: 3 });
      const rest = await ledger.signals('acme', { limit: 3, cursor: first.nextCursor ?? '' });
      const listed = [...first.items, ...rest.items].map(({ signalId }) => signalId);
      expect(listed).to.deep.equal(ids(4, 3, 5, 2, 1));
      expect(rest.nextCursor).to.equal(null);
      expect(await idsOf(ledger, { source: 'acme/other' })).to.deep.equal(ids(5));
      expect(await idsOf(ledger, { source: 'acme/none' })).to.deep.equal([]);
      expect(await idsOf(ledger, { status: 'resolved' })).to.deep.equal(ids(2));
      expect(await idsOf(ledger, { orbId: 'acme.other@1.0.0' })).to.deep.equal(ids(5));
      expect(await idsOf(ledger, { since: LEDGER_NOW + 3 })).to.deep.equal(ids(4, 3, 5));
      expect(await idsOf(ledger, { since: LEDGER_NOW + 2, until: LEDGER_NOW + 6 })).to.deep.equal(ids(5, 2));
      const ofDelivery = { deliveryId: deliveryIdOf(1), limit: 1 };
      const one = await ledger.signals('acme', ofDelivery);
      expect(await idsOf(ledger, { ...ofDelivery, cursor: one.nextCursor ?? '', limit: 9 })).to.deep.equal(
        ids(3, 2, 1),
      );
      expect(await idsOf(ledger, { deliveryId: deliveryIdOf(9) })).to.deep.equal([]);
      for (const wrong of [{ limit: 0 }, { limit: 1, cursor: 'x' }])
        expect(await refusal(ledger.signals('acme', wrong))).to.be.instanceOf(RangeError);
    });

    it('are refused when they can not be, with all that they came with', async ({ ledger }) => {
      await acceptAll(ledger, [1, 2]);
      const lease = await workerLease(ledger);
      const signals: readonly Partial<NewSignal>[] = [
        { at: 0.5 },
        { semanticKey: 'sha256:AB' },
        { json: 'x'.repeat(65_537) },
      ];
      const states: readonly SignalState[] = [
        aState('x'.repeat(4097)),
        aState('a', { updatedAt: Number.NaN }),
        aState('a', { json: 'x'.repeat(65_537) }),
      ];
      const wrong = [
        ...signals.map((change) => effectsOf(1, { signals: [aSignal(1, change)] })),
        ...states.map((state) => effectsOf(1, { states: [state] })),
        { ...deathOf(1), outcome: { state: 'dead' as const, reason: 'x', pointer: '', detail: 'x'.repeat(4097) } },
      ];
      for (const effects of wrong) {
        const first = effectsOf(2, { signals: [aSignal(9)] });
        expect(await refusal(ledger.applyDeliveries(lease, [first, effects]))).to.be.instanceOf(TypeError);
      }
      expect((await ledger.acceptedDeliveries({ limit: 9 })).length).to.equal(2);
      expect(await idsOf(ledger)).to.deep.equal([]);
    });
  });

  describe('states of fingerprints', () => {
    it('are those that the last delivery left, by source', async (fixture) => {
      const { ledger } = fixture;
      await acceptAll(ledger, [1, 2]);
      await acceptAll(ledger, [3], { source: 'acme/other' });
      const newer = aState('a', { json: '{"status":"resolved"}', updatedAt: LEDGER_NOW + 5 });
      await ledger.applyDeliveries(await workerLease(ledger), [
        effectsOf(1, { states: [aState('a'), aState('b')] }),
        effectsOf(2, { states: [newer] }),
        effectsOf(3, { states: [aState('a')] }),
      ]);
      const reopened = await fixture.reopen();
      const states = await reopened.signalStates(SOURCE, ['b', 'a', 'c', 'a']);
      expect(states).to.have.deep.members([newer, aState('b')]);
      expect(states.length).to.equal(2);
      expect(await reopened.signalStates('acme/other', ['a', 'b'])).to.deep.equal([aState('a')]);
      expect(await reopened.signalStates('acme/none', ['a'])).to.deep.equal([]);
      const many = Array.from({ length: 1001 }, String);
      expect(await refusal(reopened.signalStates(SOURCE, many))).to.be.instanceOf(RangeError);
    });
  });
}
