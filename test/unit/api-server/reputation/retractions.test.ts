import { expect } from 'chai';
import { Retractions } from '../../../../api-server/reputation/retractions.ts';
import { aMarketplace, type Marketplace } from '../../../support/a-marketplace.ts';
import { auditEntry, digestOfLetter } from '../../../support/reputation-rows.ts';

describe('Retractions', () => {
  let market: Marketplace;
  beforeEach(async () => (market = await aMarketplace()));
  afterEach(() => market.close());

  it('retracts an entry once, and says once that versions are due', async () => {
    await market.publish('1.1.0', { manifestDigest: digestOfLetter('b') });
    let changed = 0;
    const { ledger, clock } = market;
    const retractions = new Retractions({ ledger, clock, changed: () => void (changed += 1) });
    const index = await ledger.appendEntries([auditEntry()]);
    expect(await retractions.retract(index, 'a dispute')).to.deep.equal({ kind: 'done', logIndex: index + 1 });
    expect(await retractions.retract(index, 'a dispute')).to.deep.equal({ kind: 'not-retractable' });
    expect([await ledger.isRetracted(index), changed]).to.deep.equal([true, 1]);
  });

  it('says that there is no such entry', async () => {
    expect(await market.reputation.retractions.retract(99, 'a dispute')).to.deep.equal({ kind: 'not-found' });
  });
});
