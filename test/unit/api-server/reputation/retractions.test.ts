import { expect } from 'chai';
import { Retractions } from '../../../../api-server/reputation/retractions.ts';
import { aMarketplace, type Marketplace } from '../../../support/a-marketplace.ts';
import { auditEntry, digestOfLetter, incidentEntry } from '../../../support/reputation-rows.ts';

describe('Retractions', () => {
  let market: Marketplace;
  beforeEach(async () => (market = await aMarketplace()));
  afterEach(() => market.close());

  async function evaluatedAfter(entry: string): Promise<readonly string[]> {
    await market.publish('1.1.0', { manifestDigest: digestOfLetter('b') });
    await market.publish('2.0.0', { manifestDigest: digestOfLetter('c') });
    const changed: string[] = [];
    const { ledger, clock, reputation } = market;
    const retractions = new Retractions({
      ledger,
      clock,
      listings: reputation.listings,
      changed: (orbId) => void changed.push(orbId),
    });
    const index = await ledger.appendEntries([entry]);
    expect((await retractions.retract(index, 'a dispute')).kind).to.equal('done');
    await retractions.retract(index, 'a dispute');
    return changed;
  }

  it('has every version of the line evaluated, once', async () => {
    expect(await evaluatedAfter(auditEntry())).to.have.members(['acme.echo@1.0.0', 'acme.echo@1.1.0']);
  });

  it('has no version evaluated for an entry of no Orb', async () => {
    expect(await evaluatedAfter(incidentEntry({ orb_id: null }))).to.deep.equal([]);
  });

  it('says that there is no such entry', async () => {
    expect(await market.reputation.retractions.retract(99, 'a dispute')).to.deep.equal({ kind: 'not-found' });
  });
});
