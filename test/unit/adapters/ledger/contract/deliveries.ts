import { expect } from 'chai';
import type { NewDelivery } from '../../../../../adapters/ledger/port.ts';
import {
  acceptAll,
  aDelivery,
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

export function deliveryContract({ it }: Contract): void {
  describe('deliveries', () => {
    it('wait in their order until they are mapped, also over a restart', async (fixture) => {
      await acceptAll(fixture.ledger, [2, 1, 3]);
      const ledger = await fixture.reopen();
      const waiting = await ledger.acceptedDeliveries({ limit: 10 });
      const expected = [2, 1, 3].map((number) => ({ ...aDelivery(number), attempts: 0 }));
      expect(waiting.map(({ seq: _seq, ...delivery }) => delivery)).to.deep.equal(expected);
      expect(waiting.map(({ seq }) => seq)).to.deep.equal(waiting.map(({ seq }) => seq).toSorted((a, b) => a - b));
      const [first, second] = waiting;
      const behind = await ledger.acceptedDeliveries({ limit: 1, afterSeq: first?.seq ?? 0 });
      expect(behind).to.deep.equal([second]);
      const lease = await workerLease(ledger);
      await ledger.applyDeliveries(lease, [effectsOf(2), deathOf(1)]);
      const left = await ledger.acceptedDeliveries({ limit: 10 });
      expect(left.map(({ deliveryId }) => deliveryId)).to.deep.equal([deliveryIdOf(3)]);
    });

    it('are read up to a number, and up to a sum of bytes', async ({ ledger }) => {
      await acceptAll(ledger, [1, 2, 3], { raw: Buffer.alloc(1000, 7) });
      const sizes = [{ maxBytes: 1 }, { maxBytes: 1000 }, { maxBytes: 1001 }, { maxBytes: 9000 }];
      const found = await Promise.all(sizes.map((size) => ledger.acceptedDeliveries({ limit: 10, ...size })));
      expect(found.map(({ length }) => length)).to.deep.equal([1, 1, 2, 3]);
      for (const limit of [0, 201, 0.5])
        expect(await refusal(ledger.acceptedDeliveries({ limit }))).to.be.instanceOf(RangeError);
    });

    it('are accepted once for a source and key, also by concurrent calls', async ({ ledger }) => {
      const copies = [1, 2, 3, 4].map((number) => aDelivery(number, { deliveryKey: 'one' }));
      const results = await Promise.all(copies.map((copy) => ledger.acceptDelivery(copy, ROOMY)));
      const duplicate = { kind: 'duplicate', deliveryId: deliveryIdOf(1) };
      expect(results).to.deep.equal([{ kind: 'accepted' }, duplicate, duplicate, duplicate]);
      const other = aDelivery(5, { deliveryKey: 'one', source: 'acme/other' });
      expect(await ledger.acceptDelivery(other, ROOMY)).to.deep.equal({ kind: 'accepted' });
      await ledger.applyDeliveries(await workerLease(ledger), [effectsOf(1)]);
      expect(await ledger.acceptDelivery(aDelivery(6, { deliveryKey: 'one' }), ROOMY)).to.deep.equal(duplicate);
      expect((await ledger.acceptedDeliveries({ limit: 9 })).length).to.equal(1);
    });

    it('find no room when so many of a source wait, or of all sources', async (fixture) => {
      const { ledger } = fixture;
      const bounds = { perSource: 2, inAll: 3 };
      const accept = async (number: number, source: string): Promise<string> =>
        (await ledger.acceptDelivery(aDelivery(number, { source }), bounds)).kind;
      expect(await Promise.all([1, 2, 3].map((number) => accept(number, SOURCE)))).to.deep.equal([
        'accepted',
        'accepted',
        'full',
      ]);
      expect([await accept(2, SOURCE), await accept(4, 'acme/b'), await accept(5, 'acme/c')]).to.deep.equal([
        'duplicate',
        'accepted',
        'full',
      ]);
      const lease = await workerLease(ledger);
      await ledger.applyDeliveries(lease, [effectsOf(1)]);
      expect([await accept(5, 'acme/c'), await accept(3, SOURCE)]).to.deep.equal(['accepted', 'full']);
      await ledger.applyDeliveries(lease, [deathOf(4)]);
      const reopened = await fixture.reopen();
      const again = await reopened.acceptDelivery(aDelivery(3), bounds);
      expect([again.kind, (await reopened.acceptDelivery(aDelivery(7), bounds)).kind]).to.deep.equal([
        'accepted',
        'full',
      ]);
    });

    it('die after three failures, counted until they are sent again', async ({ ledger }) => {
      await acceptAll(ledger, [1]);
      const lease = await workerLease(ledger);
      const fail = (): Promise<unknown> => ledger.failDelivery(lease, deliveryIdOf(1), 'no answer');
      const failed = { kind: 'failed', isDead: false };
      expect([await fail(), await fail()]).to.deep.equal([failed, failed]);
      expect((await ledger.acceptedDeliveries({ limit: 1 }))[0]?.attempts).to.equal(2);
      expect([await fail(), await fail()]).to.deep.equal([{ kind: 'failed', isDead: true }, { kind: 'not-waiting' }]);
      expect(await ledger.deadLetter('acme', deliveryIdOf(1))).to.include({
        reason: 'downstream',
        detail: 'no answer',
        attempts: 3,
      });
      expect(await ledger.redrive('acme', { deliveryId: deliveryIdOf(1) })).to.equal(1);
      expect([await fail(), await fail(), await fail()].map((result) => result)).to.deep.equal([
        failed,
        failed,
        { kind: 'failed', isDead: true },
      ]);
    });

    it('fail only under the lease, in its epoch', async ({ ledger, clock }) => {
      await acceptAll(ledger, [1]);
      const lease = await workerLease(ledger);
      const lost = { kind: 'lost-lease' };
      const none = { name: 'other', epoch: 1 };
      expect(await ledger.failDelivery(none, deliveryIdOf(1), '')).to.deep.equal(lost);
      await clock.advance(60_000);
      await ledger.acquireLease('ingest-worker', 'two', 60_000);
      expect(await ledger.failDelivery(lease, deliveryIdOf(1), '')).to.deep.equal(lost);
      expect((await ledger.acceptedDeliveries({ limit: 1 }))[0]?.attempts).to.equal(0);
    });

    it('are counted by source, and the queue is told with its oldest', async (fixture) => {
      const { ledger } = fixture;
      expect(await ledger.queueDepth()).to.deep.equal({ sources: [], oldestReceivedAt: null });
      expect(await ledger.deliveryCounts(SOURCE)).to.deep.equal({ accepted: 0, done: 0, dead: 0 });
      await acceptAll(ledger, [1, 2, 3, 4]);
      await acceptAll(ledger, [1, 2]);
      await acceptAll(ledger, [5], { source: 'globex/statuspage', tenant: 'globex' });
      await ledger.applyDeliveries(await workerLease(ledger), [effectsOf(1), deathOf(2)]);
      const reopened = await fixture.reopen();
      expect(await reopened.deliveryCounts(SOURCE)).to.deep.equal({ accepted: 2, done: 1, dead: 1 });
      expect(await reopened.queueDepth()).to.deep.equal({
        sources: [
          { source: SOURCE, waiting: 2 },
          { source: 'globex/statuspage', waiting: 1 },
        ],
        oldestReceivedAt: LEDGER_NOW + 3,
      });
      const bodyBytes = aDelivery(1).raw.length;
      expect(await reopened.sourceCounts()).to.deep.equal([
        {
          source: SOURCE,
          received: 4,
          accepted: 2,
          done: 1,
          dead: 1,
          lastAt: LEDGER_NOW + 4,
          bodyBytes: 4 * bodyBytes,
        },
        { source: 'globex/statuspage', received: 1, accepted: 1, done: 0, dead: 0, lastAt: LEDGER_NOW + 5, bodyBytes },
      ]);
    });

    it('are refused when they can not be', async ({ ledger }) => {
      await acceptAll(ledger, [1]);
      const wrong: readonly Partial<NewDelivery>[] = [
        { deliveryId: deliveryIdOf(1) },
        { receivedAt: 0.5 },
        { raw: Buffer.alloc(4_194_305) },
        { headers: 'x'.repeat(65_537) },
        { deliveryKey: 'x'.repeat(1025) },
      ];
      for (const change of wrong)
        expect(await refusal(ledger.acceptDelivery(aDelivery(2, change), ROOMY))).to.be.instanceOf(TypeError);
      const lease = await workerLease(ledger);
      const detail = 'x'.repeat(4097);
      expect(await refusal(ledger.failDelivery(lease, deliveryIdOf(1), detail))).to.be.instanceOf(TypeError);
      expect((await ledger.acceptedDeliveries({ limit: 9 })).length).to.equal(1);
    });
  });
}
