import { expect } from 'chai';
import { Listings, type ListingChange } from '../../../../api-server/reputation/listings.ts';
import { entryText } from '../../../../core/log-entry/entry.ts';
import type { OrbStatus } from '../../../../core/publication/listed-orb.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';
import { aPublication, aVersion, DIGEST, ORB } from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const OTHER = 'acme.echo@1.1.0';

describe('what is published, in memory', () => {
  let fixture: SqliteFixture;
  let listings: Listings;
  let changes: ListingChange[];
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    await fixture.ledger.publish(aPublication());
    listings = new Listings(fixture.ledger, fixture.clock);
    changes = [];
    listings.watch((change) => changes.push(change));
  });
  afterEach(() => fixture.dispose());

  const setStatus = async (from: OrbStatus, to: OrbStatus, at = LEDGER_NOW): Promise<void> => {
    const entry = {
      kind: 'orb_status',
      orb_id: ORB,
      status: to,
      reason: 'why',
      at: new Date(at).toISOString(),
    } as const;
    await fixture.ledger.setOrbStatus({
      orbId: ORB,
      from,
      to,
      reason: 'why',
      entries: [entryText(entry)],
      revoke: null,
    });
    await listings.refresh();
  };

  const suspended = async (): Promise<readonly (boolean | undefined)[]> => {
    await listings.refresh();
    return [ORB, OTHER].map((orbId) => listings.orb(orbId)?.isSuspended);
  };

  it('is told by version and organisation, once for each refresh that changed something', async () => {
    await listings.refresh();
    await listings.refresh();
    await fixture.ledger.publish(aVersion('1.1.0'));
    await listings.refresh();
    const told = changes.map(({ orbs, orgs }) => [[...orbs], [...orgs]]);
    expect(told).to.deep.equal([
      [[ORB], ['acme']],
      [[OTHER], []],
    ]);
  });

  it('never shows a version without the newest state of its organisation', async () => {
    const { ledger } = fixture;
    let isSuspended = false;
    // Another process publishes and suspends between two reads of a refresh.
    const between = async (): Promise<void> => {
      if (isSuspended) return;
      isSuspended = true;
      const row = await ledger.org('acme');
      await ledger.publish(aVersion('1.1.0'));
      if (row !== undefined) await ledger.putOrg({ ...row, state: 'suspended', json: '{"n":1}' }, row.json, []);
    };
    const racing = {
      ...ledger,
      publications: async (change: number) => ledger.publications(change),
      orgs: async (change: number) => {
        const rows = await ledger.orgs(change);
        await between();
        return rows;
      },
    };
    listings = new Listings(racing, fixture.clock);
    await listings.refresh();
    expect(listings.orb(OTHER)).to.equal(undefined);
    await listings.refresh();
    expect(listings.orb(OTHER)?.publisher.verified).to.equal(false);
  });

  it('has every version of an organisation as suspended while it is, and one that is suspended itself', async () => {
    const { ledger } = fixture;
    await ledger.publish(aVersion('1.1.0'));
    const setOrg = async (state: 'verified' | 'suspended', json: string): Promise<void> => {
      const row = await ledger.org('acme');
      if (row !== undefined) await ledger.putOrg({ ...row, state, json }, row.json, []);
    };
    expect(await suspended()).to.deep.equal([false, false]);
    await setOrg('suspended', '{"n":1}');
    expect(await suspended()).to.deep.equal([true, true]);
    await setStatus('active', 'suspended');
    await setOrg('verified', '{"n":2}');
    expect(await suspended()).to.deep.equal([true, false]);
  });

  it('knows the highest active version of a name after each change, also when it was asked for before', async () => {
    const highest = (): readonly (string | undefined)[] =>
      ['acme.echo', 'acme.other', 'acme'].map((name) => listings.highestActive(name));
    expect(highest()).to.deep.equal([undefined, undefined, undefined]);
    await listings.refresh();
    expect(highest()).to.deep.equal([ORB, undefined, undefined]);
    await fixture.ledger.publish(aVersion('0.9.0'));
    await fixture.ledger.publish(aVersion('1.1.0-rc.1'));
    await fixture.ledger.publish(aVersion('1.0.0', { orbId: 'acme.other@1.0.0' }));
    await listings.refresh();
    expect(highest()).to.deep.equal([ORB, 'acme.other@1.0.0', undefined]);
    await setStatus('active', 'deprecated');
    expect(highest()[0]).to.equal('acme.echo@0.9.0');
    await setStatus('deprecated', 'active');
    await fixture.ledger.publish(aVersion('1.1.0'));
    await listings.refresh();
    expect(highest()[0]).to.equal(OTHER);
  });

  it('shares one read between the calls that wait, and reads again for a call that comes during a read', async () => {
    const reads: number[] = [];
    let later: Promise<void> | undefined;
    const counted = {
      ...fixture.ledger,
      publications: async () => {
        reads.push(reads.length);
        later ??= listings.refresh();
        return [];
      },
    };
    listings = new Listings(counted, fixture.clock);
    await Promise.all([listings.refresh(), listings.refresh(), listings.refresh()]);
    await later;
    expect(reads).to.have.length(2);
  });

  it('knows which versions lack their object', async () => {
    await fixture.ledger.publish(aVersion('1.1.0'));
    await fixture.ledger.markProjected(ORB);
    await listings.refresh();
    expect([...listings.withoutView()]).to.deep.equal([OTHER]);
    await fixture.ledger.markProjected(OTHER);
    await listings.refresh();
    expect([listings.lacksView(OTHER), [...listings.withoutView()]]).to.deep.equal([false, []]);
  });

  it('dates a deprecation by its log entry, the newest one, and forgets it when it ends', async () => {
    await listings.refresh();
    const deprecatedAt = (): number | undefined => listings.version(ORB)?.deprecatedAt;
    await setStatus('active', 'deprecated', LEDGER_NOW + 1000);
    const first = deprecatedAt();
    await setStatus('deprecated', 'active');
    const ended = deprecatedAt();
    await setStatus('active', 'deprecated', LEDGER_NOW + 5000);
    expect([first, ended, deprecatedAt()]).to.deep.equal([LEDGER_NOW + 1000, undefined, LEDGER_NOW + 5000]);
    expect(listings.version(ORB)).to.include({ status: 'deprecated', manifestDigest: DIGEST });
  });
});
