import { expect } from 'chai';
import { LedgerError, type Ledger } from '../../../../adapters/ledger/port.ts';
import { Listings } from '../../../../api-server/reputation/listings.ts';
import { StoredReputation } from '../../../../api-server/reputation/stored-reputation.ts';
import { refusal } from '../../../support/refusal.ts';
import {
  anEvaluation,
  aPromotion,
  aPublication,
  aVersion,
  ORB,
  revocationEntry,
} from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const OTHER = 'acme.echo@1.1.0';

describe('what profiles, certificates and badges are answered from', () => {
  let fixture: SqliteFixture;
  let listings: Listings;
  let stored: StoredReputation;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    const { ledger } = fixture;
    await ledger.publish(aPublication());
    await ledger.publish(aVersion('1.1.0'));
    await ledger.evaluate(aPromotion(0));
    await ledger.evaluate(aPromotion(1, { orbId: OTHER }));
    listings = new Listings(ledger, fixture.clock);
    await listings.refresh();
    stored = new StoredReputation(ledger, listings);
  });
  afterEach(() => fixture.dispose());

  type Reads = Pick<Ledger, 'evaluation' | 'tierChanges' | 'certificate' | 'statusBits' | 'nextStatusIndex'>;
  const all = (from: Reads, orbId: string): Promise<readonly unknown[]> =>
    Promise.all([
      from.evaluation(orbId),
      from.tierChanges(orbId, 20),
      from.certificate(orbId),
      from.statusBits(1),
      from.nextStatusIndex(),
    ]);

  it('is what the ledger holds, and stays so after each change that was noticed', async () => {
    const { ledger } = fixture;
    expect(await all(stored, ORB)).to.deep.equal(await all(ledger, ORB));
    await ledger.evaluate(anEvaluation({ profile: '{"reputation_score":7}' }));
    await listings.refresh();
    expect(await all(stored, ORB)).to.deep.equal(await all(ledger, ORB));
    await ledger.evaluate(anEvaluation({ entries: [revocationEntry()], revokeIndex: 0 }));
    await listings.refresh();
    expect(await all(stored, ORB)).to.deep.equal(await all(ledger, ORB));
    expect((await stored.certificate(ORB))?.revoked).to.equal(true);
  });

  it('gives another number of changes of the tier than profiles show as the ledger does', async () => {
    expect(await stored.tierChanges(ORB, 1)).to.deep.equal(await fixture.ledger.tierChanges(ORB, 1));
    expect(await stored.tierChanges(ORB, 0)).to.deep.equal([]);
  });

  it('is answered while the ledger is away, if it was asked before', async () => {
    const before = await all(stored, ORB);
    await fixture.ledger.close();
    expect(await all(stored, ORB)).to.deep.equal(before);
    expect(await refusal(stored.evaluation(OTHER))).to.be.instanceOf(LedgerError);
  });
});
