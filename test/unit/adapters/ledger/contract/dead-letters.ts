import { expect } from 'chai';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import {
  acceptAll,
  aDelivery,
  deathOf,
  deliveryIdOf,
  effectsOf,
  SOURCE,
  workerLease,
} from '../../../../support/ingest-rows.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const waitingIds = async (ledger: Ledger): Promise<readonly string[]> =>
  (await ledger.acceptedDeliveries({ limit: 200 })).map(({ deliveryId }) => deliveryId);

export function deadLetterContract({ it }: Contract): void {
  describe('dead letters', () => {
    it('keep what came and why it could not be mapped, for their tenant', async (fixture) => {
      await acceptAll(fixture.ledger, [1, 2]);
      await fixture.ledger.applyDeliveries(await workerLease(fixture.ledger), [deathOf(1)]);
      const ledger = await fixture.reopen();
      const letter = {
        ...aDelivery(1),
        reason: 'schema',
        pointer: '/alerts/0',
        detail: 'an alert has a status',
        attempts: 0,
        bytes: aDelivery(1).raw.length,
        hasBody: true,
      };
      expect(await ledger.deadLetter('acme', deliveryIdOf(1))).to.deep.equal(letter);
      const { headers: _headers, raw: _raw, ...listed } = letter;
      expect(await ledger.deadLetters('acme', { limit: 9 })).to.deep.equal({ items: [listed], nextCursor: null });
      expect(await ledger.deadLetter('globex', deliveryIdOf(1))).to.equal(undefined);
      expect(await ledger.deadLetter('acme', deliveryIdOf(2)), 'it waits').to.equal(undefined);
      expect((await ledger.deadLetters('globex', { limit: 9 })).items).to.deep.equal([]);
    });

    it('are listed newest first, page by page, by source and reason', async ({ ledger }) => {
      await acceptAll(ledger, [1, 2, 3, 4], { receivedAt: LEDGER_NOW });
      await acceptAll(ledger, [5], { source: 'acme/other' });
      const reasons = ['schema', 'bad_json', 'schema', 'schema', 'schema'];
      const deaths = reasons.map((reason, number) => deathOf(number + 1, reason));
      await ledger.applyDeliveries(await workerLease(ledger), deaths);
      const query = { source: SOURCE, reason: 'schema', limit: 2 };
      const first = await ledger.deadLetters('acme', query);
      const rest = await ledger.deadLetters('acme', { ...query, cursor: first.nextCursor ?? '' });
      const ids = [...first.items, ...rest.items].map(({ deliveryId }) => deliveryId);
      expect(ids).to.deep.equal([4, 3, 1].map(deliveryIdOf));
      expect(rest.nextCursor).to.equal(null);
      expect((await ledger.deadLetters('acme', { limit: 9 })).items.length).to.equal(5);
      expect((await ledger.deadLetters('acme', { limit: 9, source: 'acme/none' })).items).to.deep.equal([]);
      for (const wrong of [{ limit: 0 }, { limit: 1, cursor: 'x' }])
        expect(await refusal(ledger.deadLetters('acme', wrong))).to.be.instanceOf(RangeError);
    });

    it('wait again when they are redriven, in the order that they had, and once', async ({ ledger }) => {
      await acceptAll(ledger, [1, 2, 3]);
      const lease = await workerLease(ledger);
      await ledger.applyDeliveries(lease, [deathOf(1), effectsOf(2)]);
      const one = { deliveryId: deliveryIdOf(1) };
      expect(await ledger.redrive('globex', one)).to.equal(0);
      expect(await Promise.all([ledger.redrive('acme', one), ledger.redrive('acme', one)])).to.deep.equal([1, 0]);
      expect(await ledger.redrive('acme', { deliveryId: deliveryIdOf(2) }), 'it was mapped').to.equal(0);
      const waiting = await ledger.acceptedDeliveries({ limit: 9 });
      expect(waiting.map(({ deliveryId, attempts }) => [deliveryId, attempts])).to.deep.equal([
        [deliveryIdOf(1), 1],
        [deliveryIdOf(3), 0],
      ]);
      expect(await ledger.deliveryCounts(SOURCE)).to.deep.equal({ accepted: 2, done: 1, dead: 0 });
      expect((await ledger.deadLetters('acme', { limit: 9 })).items).to.deep.equal([]);
      await ledger.applyDeliveries(lease, [effectsOf(1)]);
      expect(await ledger.deliveryCounts(SOURCE)).to.deep.equal({ accepted: 1, done: 2, dead: 0 });
    });

    it('are redriven by source and reason, the oldest first, up to a number', async ({ ledger }) => {
      await acceptAll(ledger, [1, 2, 3, 4]);
      await acceptAll(ledger, [5], { source: 'acme/other' });
      const reasons = ['schema', 'bad_json', 'schema', 'schema', 'schema'];
      const lease = await workerLease(ledger);
      await ledger.applyDeliveries(
        lease,
        reasons.map((reason, number) => deathOf(number + 1, reason)),
      );
      const schema = { source: SOURCE, reason: 'schema' };
      expect(await ledger.redrive('globex', { ...schema, max: 9 })).to.equal(0);
      expect(await ledger.redrive('acme', { ...schema, max: 2 })).to.equal(2);
      expect(await waitingIds(ledger)).to.deep.equal([1, 3].map(deliveryIdOf));
      expect(await ledger.redrive('acme', { ...schema, max: 9 })).to.equal(1);
      expect(await ledger.redrive('acme', { source: SOURCE, max: 9 })).to.equal(1);
      expect(await waitingIds(ledger)).to.deep.equal([1, 2, 3, 4].map(deliveryIdOf));
      for (const max of [0, 10_001, 0.5])
        expect(await refusal(ledger.redrive('acme', { source: SOURCE, max }))).to.be.instanceOf(RangeError);
    });
  });
}
