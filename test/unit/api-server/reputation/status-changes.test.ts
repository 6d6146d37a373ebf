import { evaluateOnce } from '../../../support/evaluate-once.ts';
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { StatusChanges, type StatusChangeParts } from '../../../../api-server/reputation/status-changes.ts';
import { readEntry, type LogEntry } from '../../../../core/log-entry/entry.ts';
import { aMarketplace, type Marketplace } from '../../../support/a-marketplace.ts';
import { ORB } from '../../../support/reputation-rows.ts';

describe('StatusChanges', () => {
  let market: Marketplace;
  /** Calls that say that versions are due. */
  let changed: number;
  beforeEach(async () => {
    market = await aMarketplace();
    changed = 0;
  });
  afterEach(() => market.close());

  const evaluate = async (): Promise<string> =>
    (await evaluateOnce(market.reputation.evaluator, market.clock, [ORB])).join();
  const entriesFrom = async (size: number): Promise<readonly (LogEntry | undefined)[]> =>
    (await market.ledger.entries(size, size + 99)).map(readEntry);
  const change = (
    status: 'yanked' | 'suspended' | 'active' | 'deprecated',
    ledger: StatusChangeParts['ledger'] = market.ledger,
  ) => {
    const { reputation, clock } = market;
    const { listings } = reputation;
    const statuses = new StatusChanges({ ledger, listings, clock, changed: () => void (changed += 1) });
    return statuses.change(ORB, { status, reason: 'a reason', isAdmin: true });
  };
  const isRevoked = async (): Promise<boolean | undefined> => (await market.ledger.certificate(ORB))?.revoked;

  for (const status of ['yanked', 'suspended'] as const)
    it(`${status}: revokes the certificate with the change, and leaves the evaluator none to revoke`, async () => {
      await evaluate();
      const jwt = (await market.ledger.certificate(ORB))?.jwt ?? '';
      const size = await market.ledger.logSize();
      expect(await change(status)).to.deep.equal({ kind: 'done', logIndex: size });
      expect(await isRevoked()).to.equal(true);
      const [first, second, ...more] = await entriesFrom(size);
      expect(first).to.deep.include({ kind: 'orb_status', orb_id: ORB, status, reason: 'a reason' });
      const sha256 = createHash('sha256').update(jwt).digest('hex');
      expect(second).to.deep.include({ kind: 'revocation', target: 'certificate', sha256, reason: status });
      expect([more, changed]).to.deep.equal([[], 1]);
      expect(await evaluate()).to.equal('done');
      const later = (await entriesFrom(size + 2)).map((entry) => entry?.kind);
      expect(later).not.to.include('revocation');
      expect(later).not.to.include('certificate');
    });

  it('appends no revocation of a version without a certificate, or whose certificate stays', async () => {
    const size = await market.ledger.logSize();
    await change('suspended');
    await change('active');
    await evaluate();
    await change('deprecated');
    expect((await entriesFrom(size)).map((entry) => entry?.kind)).not.to.include('revocation');
    expect(await isRevoked()).to.equal(false);
  });

  it('revokes the certificate that an evaluation issued after it had looked', async () => {
    let looks = 0;
    const { setOrbStatus, statusEntries, certificate } = market.ledger;
    const overtaken: StatusChangeParts['ledger'] = {
      setOrbStatus,
      statusEntries,
      certificate: async (orbId) => {
        const found = await certificate(orbId);
        looks += 1;
        if (looks === 1) await evaluate();
        return found;
      },
    };
    expect((await change('yanked', overtaken)).kind).to.equal('done');
    expect([looks, await isRevoked()]).to.deep.equal([2, true]);
    const kinds = (await entriesFrom(0)).map((entry) => entry?.kind);
    expect(kinds.filter((kind) => kind === 'orb_status' || kind === 'revocation')).to.have.length(2);
  });

  it('reads what was before only for the end of a suspension', async () => {
    const { setOrbStatus, certificate } = market.ledger;
    const blind: StatusChangeParts['ledger'] = {
      setOrbStatus,
      certificate,
      statusEntries: () => Promise.reject(new Error('not asked for')),
    };
    expect((await change('deprecated', blind)).kind).to.equal('done');
    expect((await change('suspended', blind)).kind).to.equal('done');
    expect(await change('active')).to.deep.equal({ kind: 'refused', from: 'suspended' });
    expect((await change('deprecated')).kind).to.equal('done');
  });
});
