import { expect } from 'chai';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import { aFinish, aStart, LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import type { Contract } from '../contract.ts';

const claim = (key: string): { path: string; key: string; bodySha256: string; expiresAt: number } => ({
  path: '/p',
  key,
  bodySha256: 'a'.repeat(64),
  expiresAt: LEDGER_NOW + 1000,
});

async function runs(ledger: Ledger, tenant: string, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    await ledger.startRun(aStart(number, { tenant }));
    await ledger.finishRun(aFinish(number, { tenant }));
  }
}

export function tenantUsageContract({ it }: Contract): void {
  describe('what a tenant has in the ledger', () => {
    it('is nothing before its first run', async ({ ledger }) => {
      expect(await ledger.tenantUsage('acme')).to.deep.equal({ rows: 0, bytes: 0 });
      expect(await ledger.largestTenants(10)).to.deep.equal([]);
    });

    it('grows with its own runs only, by what they hold', async ({ ledger }) => {
      await runs(ledger, 'acme', [1]);
      const one = await ledger.tenantUsage('acme');
      await runs(ledger, 'globex', [2]);
      await runs(ledger, 'acme', [3]);
      expect(await ledger.tenantUsage('acme')).to.deep.equal({ rows: 2, bytes: 2 * one.bytes });
      await ledger.startRun(aStart(4, { tenant: 'globex' }));
      expect(await ledger.tenantUsage('globex')).to.deep.equal(one);
      const [header = '', , signature = ''] = aFinish(4).receipt.jws.split('.');
      const jws = [header, Buffer.alloc(2000).toString('base64url'), signature].join('.');
      await ledger.finishRun(aFinish(4, { tenant: 'globex' }, { jws }));
      const globex = await ledger.tenantUsage('globex');
      expect(globex.rows).to.equal(2);
      expect(globex.bytes - 2 * one.bytes).to.be.within(1000, 2000);
      expect((await ledger.largestTenants(1)).map(({ tenant }) => tenant)).to.deep.equal(['globex']);
      expect(await ledger.largestTenants(5)).to.have.length(2);
    });

    it('does not count a run that was not written', async ({ ledger }) => {
      await ledger.startRun(aStart(1, { idempotency: claim('k') }));
      const before = await ledger.tenantUsage('acme');
      expect((await ledger.startRun(aStart(2, { idempotency: claim('k') }))).kind).to.equal('idempotent');
      await ledger.startRun(aStart(1)).catch(() => undefined);
      expect(await ledger.tenantUsage('acme')).to.deep.equal(before);
    });

    it('counts a stored answer, and gives its bytes back when it is erased', async ({ ledger }) => {
      await ledger.startRun(aStart(1, { idempotency: claim('k') }));
      await ledger.finishRun({ ...aFinish(1), answer: 'x'.repeat(5000) });
      const stored = await ledger.tenantUsage('acme');
      expect(await ledger.eraseExpired(LEDGER_NOW + 2000)).to.equal(1);
      const erased = await ledger.tenantUsage('acme');
      expect(stored.rows - erased.rows).to.equal(1);
      expect(stored.bytes - erased.bytes).to.be.within(5000, 6000);
    });

    it('is known after a restart', async ({ ledger, reopen }) => {
      await runs(ledger, 'acme', [1, 2]);
      const before = await ledger.tenantUsage('acme');
      const again = await reopen();
      expect(await again.tenantUsage('acme')).to.deep.equal(before);
      expect(before.rows).to.equal(2);
    });
  });
}
