import { expect } from 'chai';
import type { NewSwap } from '../../../../../adapters/ledger/port.ts';
import { entryText } from '../../../../../core/log-entry/entry.ts';
import { aFinish, aStart, aSwap, LEDGER_NOW, receiptIdOf, swapReceiptIdOf } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const ORB = 'acme.echo@1.0.0';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const publish = (orbId: string, digest: string): string =>
  entryText({
    kind: 'publish',
    orb_id: orbId,
    manifest_digest: digest,
    org: 'acme',
    ontology: '1.0.0',
    at: '2026-11-20T10:00:00.000Z',
  });

export function swapContract({ it }: Contract): void {
  describe('swaps', () => {
    it('keeps the receipt of a swap, with the index of its entry, for its own tenant only', async ({ ledger }) => {
      await ledger.recordRun(aStart(1), aFinish(1));
      const { entry, orbUid: _uid, swapSeq: _seq, epoch: _epoch, ...stored } = aSwap(1, { issuedAt: LEDGER_NOW + 7 });
      expect(await ledger.recordSwap(aSwap(1, { issuedAt: LEDGER_NOW + 7 }))).to.deep.equal({ kind: 'recorded' });
      expect(await ledger.swapReceipt('acme', swapReceiptIdOf(1))).to.deep.equal({ ...stored, logIndex: 1 });
      expect(await ledger.swapReceipt('globex', swapReceiptIdOf(1))).to.equal(undefined);
      expect(await ledger.entries(1, 2)).to.deep.equal([entry]);
    });

    it('shows it neither as the receipt of a run nor in their list', async ({ ledger }) => {
      await ledger.recordSwap(aSwap(1));
      expect(await ledger.receipt('acme', swapReceiptIdOf(1))).to.equal(undefined);
      expect((await ledger.receipts('acme', { limit: 10 })).items).to.deep.equal([]);
      await ledger.recordRun(aStart(1), aFinish(1));
      expect(await ledger.swapReceipt('acme', receiptIdOf(1))).to.equal(undefined);
    });

    it('answers the same swap again with the receipt that it has, and writes nothing', async (fixture) => {
      await fixture.ledger.recordSwap(aSwap(1));
      const again = [aSwap(1), aSwap(1, { receiptId: swapReceiptIdOf(2) }), aSwap(1, { epoch: 0 })];
      for (const open of [fixture.current, fixture.reopen]) {
        const ledger = await open();
        for (const swap of again) {
          expect(await ledger.recordSwap(swap)).to.deep.equal({ kind: 'exists', receiptId: swapReceiptIdOf(1) });
        }
        expect(await ledger.logSize()).to.equal(1);
      }
    });

    it('lets exactly one of many concurrent receipts of a swap be its receipt', async ({ ledger }) => {
      const swaps = Array.from({ length: 10 }, (_, number) => aSwap(1, { receiptId: swapReceiptIdOf(number) }));
      const results = await Promise.all(swaps.map((swap) => ledger.recordSwap(swap)));
      expect(results.filter(({ kind }) => kind === 'recorded').length).to.equal(1);
      const winner = (await ledger.lastSwap('acme', 'uid-1'))?.receiptId;
      const others = results.filter((result) => result.kind === 'exists');
      expect(others.map(({ receiptId }) => receiptId)).to.deep.equal(Array.from({ length: 9 }, () => winner));
      expect(await ledger.logSize()).to.equal(1);
    });

    it('refuses an epoch below the highest of the object, and takes an equal or a higher one', async (fixture) => {
      const { ledger } = fixture;
      await ledger.recordSwap(aSwap(1, { epoch: 7 }));
      expect(await ledger.recordSwap(aSwap(2, { epoch: 6 }))).to.deep.equal({ kind: 'fenced', highest: 7 });
      expect(await ledger.recordSwap(aSwap(2, { epoch: 7 }))).to.deep.equal({ kind: 'recorded' });
      expect(await ledger.recordSwap(aSwap(3, { epoch: 9 }))).to.deep.equal({ kind: 'recorded' });
      const reopened = await fixture.reopen();
      expect(await reopened.recordSwap(aSwap(4, { epoch: 8 }))).to.deep.equal({ kind: 'fenced', highest: 9 });
      expect(await reopened.swapReceipt('acme', swapReceiptIdOf(4))).to.equal(undefined);
      expect(await reopened.logSize()).to.equal(3);
    });

    it('lets no concurrent writer of a lower epoch in behind a higher one', async ({ ledger }) => {
      const epochs = [3, 1, 4, 2, 4, 5, 1];
      const swaps = epochs.map((epoch, number) => aSwap(number + 1, { epoch }));
      const results = await Promise.all(swaps.map((swap) => ledger.recordSwap(swap)));
      const recorded = epochs.filter((_, number) => results[number]?.kind === 'recorded');
      expect(recorded).to.deep.equal([3, 4, 4, 5]);
    });

    it('counts and fences each object for itself', async ({ ledger }) => {
      await ledger.recordSwap(aSwap(1, { epoch: 7 }));
      const other = aSwap(1, { orbUid: 'uid-2', receiptId: swapReceiptIdOf(2), epoch: 1 });
      expect(await ledger.recordSwap(other)).to.deep.equal({ kind: 'recorded' });
    });

    it('tells the last swap of an object to its tenant, by its number and not by its age', async ({ ledger }) => {
      expect(await ledger.lastSwap('acme', 'uid-1')).to.equal(undefined);
      for (const number of [2, 10, 9]) await ledger.recordSwap(aSwap(number, { epoch: 3 }));
      const last = { seq: 10, receiptId: swapReceiptIdOf(10), epoch: 3 };
      expect(await ledger.lastSwap('acme', 'uid-1')).to.deep.equal(last);
      expect(await ledger.lastSwap('globex', 'uid-1')).to.equal(undefined);
    });

    const refused: readonly (readonly [string, Partial<NewSwap>])[] = [
      ['with the receipt id of a run', { receiptId: receiptIdOf(1) }],
      ['with the receipt id of another swap', { receiptId: swapReceiptIdOf(1) }],
      ['with a number that is not whole', { swapSeq: 1.5 }],
      ['of an epoch that is not whole', { epoch: 1.5 }],
      ['issued at no whole millisecond', { issuedAt: LEDGER_NOW + 0.5 }],
      ['with a receipt that is no compact JWS', { jws: 'e30.e30' }],
      ['with an entry beyond 65535 bytes', { entry: `"${'é'.repeat(32_767)}"` }],
    ];
    it('refuses a row that can not be, alone: the others of its group are committed', async ({ ledger }) => {
      await ledger.recordRun(aStart(1), aFinish(1));
      await ledger.recordSwap(aSwap(1));
      let number = 1;
      for (const [why, change] of refused) {
        number += 1;
        const bad = { ...aSwap(100, { orbUid: 'uid-3' }), ...change };
        const [error, good] = await Promise.all([refusal(ledger.recordSwap(bad)), ledger.recordSwap(aSwap(number))]);
        expect(error, why).to.be.instanceOf(TypeError);
        expect(good, why).to.deep.equal({ kind: 'recorded' });
      }
      expect(await ledger.lastSwap('acme', 'uid-3')).to.equal(undefined);
      expect(await ledger.logSize()).to.equal(1 + number);
    });

    it('knows which manifests have a publish entry, after it is opened again too', async (fixture) => {
      const { ledger } = fixture;
      expect(await ledger.hasPublished(ORB, DIGEST)).to.equal(false);
      await ledger.appendEntries(['{"kind":"publish"}', publish(ORB, DIGEST), publish(ORB, DIGEST)]);
      for (const open of [fixture.current, fixture.reopen]) {
        const one = await open();
        expect(await one.hasPublished(ORB, DIGEST)).to.equal(true);
        expect(await one.hasPublished(ORB, `sha256:${'b'.repeat(64)}`)).to.equal(false);
        expect(await one.hasPublished('globex.echo@1.0.0', DIGEST)).to.equal(false);
      }
    });

    it('knows nothing of a publish entry that was refused', async ({ ledger }) => {
      const tooLong = `"${'x'.repeat(65_534)}"`;
      expect(await refusal(ledger.appendEntries([publish(ORB, DIGEST), tooLong]))).to.be.instanceOf(TypeError);
      expect(await ledger.hasPublished(ORB, DIGEST)).to.equal(false);
    });
  });
}
