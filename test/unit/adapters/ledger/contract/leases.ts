import { expect } from 'chai';
import type { Contract } from '../contract.ts';

export function leaseContract({ it }: Contract): void {
  describe('leases', () => {
    it('gives a lease to one holder, who keeps its epoch by renewing', async ({ ledger, clock }) => {
      expect(await ledger.acquireLease('probes', 'one', 1000)).to.equal(1);
      expect(await ledger.acquireLease('probes', 'two', 1000)).to.equal(undefined);
      await clock.advance(900);
      expect(await ledger.acquireLease('probes', 'one', 1000)).to.equal(1);
      await clock.advance(900);
      expect(await ledger.acquireLease('probes', 'two', 1000)).to.equal(undefined);
    });

    it('lets exactly one of many concurrent askers have it', async ({ ledger }) => {
      const asked = Array.from({ length: 10 }, (_, holder) => ledger.acquireLease('probes', `holder-${holder}`, 1000));
      const epochs = await Promise.all(asked);
      expect(epochs.filter((epoch) => epoch !== undefined)).to.deep.equal([1]);
    });

    it('goes to another holder with a higher epoch when it ran out', async (fixture) => {
      await fixture.ledger.acquireLease('probes', 'one', 1000);
      await fixture.clock.advance(1000);
      expect(await fixture.ledger.acquireLease('probes', 'two', 1000)).to.equal(2);
      expect(await fixture.ledger.acquireLease('probes', 'one', 1000)).to.equal(undefined);
      expect(await (await fixture.reopen()).acquireLease('probes', 'one', 1000)).to.equal(undefined);
    });

    it('is free at once when its holder releases it, with a higher epoch for whoever comes', async ({ ledger }) => {
      await ledger.acquireLease('probes', 'one', 1000);
      await ledger.releaseLease('probes', 'two');
      expect(await ledger.acquireLease('probes', 'two', 1000)).to.equal(undefined);
      await ledger.releaseLease('probes', 'one');
      expect(await ledger.acquireLease('probes', 'one', 1000)).to.equal(2);
    });

    it('keeps leases of different names apart', async ({ ledger }) => {
      expect(await ledger.acquireLease('probes', 'one', 1000)).to.equal(1);
      expect(await ledger.acquireLease('status', 'two', 1000)).to.equal(1);
    });
  });
}
