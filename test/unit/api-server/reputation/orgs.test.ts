import { expect } from 'chai';
import { Orgs, type Claimed, type OrgVerified } from '../../../../api-server/reputation/orgs.ts';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import { aMarketplace, type Marketplace } from '../../../support/a-marketplace.ts';
import { anOrgKey } from '../../../support/an-org-key.ts';

const DAY_MS = 86_400_000;
const key = anOrgKey();
const other = anOrgKey();

const nonceOf = (claimed: Claimed): string => (claimed.kind === 'claimed' ? claimed.nonce : expect.fail(claimed.kind));

describe('Orgs', () => {
  let market: Marketplace;
  let orgs: Orgs;
  let records: Map<string, readonly string[]>;
  /** Calls that say that versions are due. */
  let changed: number;
  let asked: string[];
  beforeEach(async () => {
    market = await aMarketplace();
    records = new Map([['globex.com', ['unrelated', key.record('globex')]]]);
    changed = 0;
    asked = [];
    const { ledger, clock, reputation } = market;
    let count = 0;
    orgs = new Orgs({
      ledger,
      clock,
      listings: reputation.listings,
      logger: { warn: () => undefined },
      random: (bytes) => new Uint8Array(bytes).fill((count += 1)),
      resolveTxt: async (name) => {
        asked.push(name);
        const found = records.get(name);
        if (found === undefined) throw new Error('ENOTFOUND');
        return found;
      },
      changed: () => void (changed += 1),
    });
  });
  afterEach(() => market.close());

  /** What badge and certificate of an Orb of acme show, before any evaluation. */
  const shownStatus = async (): Promise<string | undefined> =>
    (await market.reputation.reader.standing('acme.echo@1.0.0'))?.status;
  const stateOf = async (org: string): Promise<string | undefined> => (await market.ledger.org(org))?.state;

  /** Events of the log about an organisation, without those of `aMarketplace`. */
  async function events(org: string): Promise<readonly string[]> {
    const texts = await market.ledger.entries(0, 1000);
    return texts.flatMap((text) => {
      const entry = readEntry(text);
      return entry?.kind === 'org' && entry.org === org ? [`${entry.event} ${entry.proof}`] : [];
    });
  }

  async function prove(tenant = 'team-g', signer = key): Promise<OrgVerified> {
    const nonce = nonceOf(await orgs.claim('globex', tenant, 'globex.com'));
    return orgs.verify('globex', tenant, signer.sign('globex', tenant, nonce));
  }

  const claimWide = (number: number): Promise<Claimed> =>
    orgs.claim(`wide${number}-com`, 'team-w', `wide${number}.com`);

  describe('claim', () => {
    it('gives a challenge for 24 hours, and writes no entry', async () => {
      const claimed = await orgs.claim('globex', 'team-g', 'globex.com');
      expect(claimed).to.deep.include({ kind: 'claimed', until: market.clock.now() + DAY_MS });
      expect(nonceOf(claimed)).to.have.length(22);
      expect([await stateOf('globex'), await events('globex')]).to.deep.equal([undefined, []]);
    });

    it('gives a new challenge each time, and the one before is void', async () => {
      const first = nonceOf(await orgs.claim('globex', 'team-g', 'globex.com'));
      const second = nonceOf(await orgs.claim('globex', 'team-g', 'globex.com'));
      expect(second).not.to.equal(first);
      expect((await orgs.verify('globex', 'team-g', key.sign('globex', 'team-g', first))).kind).to.equal('failed');
      expect((await orgs.verify('globex', 'team-g', key.sign('globex', 'team-g', second))).kind).to.equal('verified');
    });

    it('is open to all until one has proven it', async () => {
      await orgs.claim('globex', 'team-x', 'globex.com');
      expect((await prove()).kind).to.equal('verified');
      expect((await orgs.claim('globex', 'team-x', 'globex.com')).kind).to.equal('taken');
    });

    it('of another tenant leaves a challenge as good as it was', async () => {
      const nonce = nonceOf(await orgs.claim('globex', 'team-g', 'globex.com'));
      for (const tenant of ['team-x', 'team-y']) await orgs.claim('globex', tenant, 'globex.com');
      expect((await orgs.verify('globex', 'team-g', key.sign('globex', 'team-g', nonce))).kind).to.equal('verified');
      expect((await orgs.verify('globex', 'team-x', key.sign('globex', 'team-x', nonce))).kind).to.equal('unknown');
    });

    it('is one of 16 open ones of a tenant; those that are over count no more', async () => {
      for (let number = 0; number < 16; number += 1) expect((await claimWide(number)).kind).to.equal('claimed');
      expect((await claimWide(16)).kind).to.equal('too-many');
      expect((await claimWide(3)).kind).to.equal('claimed');
      expect((await prove()).kind).to.equal('verified');
      await market.clock.advance(DAY_MS);
      expect((await claimWide(16)).kind).to.equal('claimed');
    });

    const refused: [why: string, org: string, domain: string, kind: string][] = [
      ['an organisation of another tenant', 'acme', 'acme.com', 'taken'],
      ['a reserved name', 'kubernetes', 'kubernetes.io', 'confusable'],
      ['the prefix of a code host', 'gh-globex', 'gh-globex.com', 'confusable'],
      ['a name that looks like another', 'acrne', 'acrne.com', 'confusable'],
      ['another domain', 'globex', 'initech.com', 'other-domain'],
      ['a subdomain', 'globex', 'globex.example.com', 'other-domain'],
      ['what is no domain', 'globex', 'globex', 'other-domain'],
    ];
    for (const [why, org, domain, kind] of refused) {
      it(`${why}: ${kind}, and nothing is written`, async () => {
        const before = await market.ledger.org(org);
        expect((await orgs.claim(org, 'team-g', domain)).kind).to.equal(kind);
        expect(await market.ledger.org(org)).to.deep.equal(before);
      });
    }

    it('of an own organisation keeps what is proven', async () => {
      await prove();
      await orgs.claim('globex', 'team-g', 'globex.com');
      expect(await stateOf('globex')).to.equal('verified');
      expect(await orgs.recheck('globex')).to.equal(true);
      await orgs.claim('acme', 'acme', 'acme.com');
      expect(await market.ledger.org('acme')).to.deep.include({ state: 'verified', proof: 'operator' });
    });
  });

  describe('verify', () => {
    it('takes the key of the record that signed the challenge', async () => {
      expect((await prove()).kind).to.equal('verified');
      expect(await market.ledger.org('globex')).to.deep.include({
        state: 'verified',
        proof: 'dns',
        namespace: 'team-g',
      });
      expect(await events('globex')).to.deep.equal(['verified dns']);
      expect([changed, asked]).to.deep.equal([1, ['globex.com']]);
      expect(market.reputation.listings.ownerOf('globex')).to.equal('team-g');
    });

    it('again writes no second entry; a proof by DNS after one by the operator does', async () => {
      await prove();
      await prove();
      expect(await events('globex')).to.deep.equal(['verified dns']);
      records.set('acme.com', [key.record('acme')]);
      const nonce = nonceOf(await orgs.claim('acme', 'acme', 'acme.com'));
      await orgs.verify('acme', 'acme', key.sign('acme', 'acme', nonce));
      expect(await events('acme')).to.deep.equal(['verified operator', 'verified dns']);
    });

    it('replaces the key after a new claim', async () => {
      await prove();
      records.set('globex.com', [other.record('globex')]);
      expect(await orgs.recheck('globex')).to.equal(false);
      expect((await prove('team-g', other)).kind).to.equal('verified');
      expect(await orgs.recheck('globex')).to.equal(true);
    });

    const failures: [why: string, change: () => Promise<unknown>, sign: (nonce: string) => string][] = [
      ['there is no record', async () => records.clear(), (nonce) => key.sign('globex', 'team-g', nonce)],
      [
        'the record names another organisation',
        async () => records.set('globex.com', [key.record('initech')]),
        (nonce) => key.sign('globex', 'team-g', nonce),
      ],
      ['another key signed', async () => undefined, (nonce) => other.sign('globex', 'team-g', nonce)],
      ['another tenant is signed', async () => undefined, (nonce) => key.sign('globex', 'team-x', nonce)],
      ['another challenge is signed', async () => undefined, () => key.sign('globex', 'team-g', 'older')],
      ['the signature is none', async () => undefined, () => 'no base64!'],
      ['the signature is empty', async () => undefined, () => ''],
      ['the challenge is old', () => market.clock.advance(DAY_MS + 1), (nonce) => key.sign('globex', 'team-g', nonce)],
    ];
    for (const [why, change, sign] of failures) {
      it(`fails when ${why}`, async () => {
        const nonce = nonceOf(await orgs.claim('globex', 'team-g', 'globex.com'));
        await change();
        expect((await orgs.verify('globex', 'team-g', sign(nonce))).kind).to.equal('failed');
        expect([await stateOf('globex'), await events('globex'), changed]).to.deep.equal([undefined, [], 0]);
      });
    }

    it('knows no claim of another tenant, and none that was not begun', async () => {
      const nonce = nonceOf(await orgs.claim('globex', 'team-g', 'globex.com'));
      const signature = key.sign('globex', 'team-x', nonce);
      expect((await orgs.verify('globex', 'team-x', signature)).kind).to.equal('unknown');
      expect((await orgs.verify('initech', 'team-g', signature)).kind).to.equal('unknown');
      expect((await orgs.verify('acme', 'acme', signature)).kind).to.equal('failed');
    });

    it('without a signature looks whether the proven key is still there; only daily checks count failures', async () => {
      await prove();
      expect((await orgs.verify('globex', 'team-g', undefined)).kind).to.equal('verified');
      records.clear();
      for (let time = 0; time < 4; time += 1)
        expect((await orgs.verify('globex', 'team-g', undefined)).kind).to.equal('failed');
      expect(await stateOf('globex')).to.equal('verified');
      expect((await orgs.verify('globex', 'team-x', undefined)).kind).to.equal('unknown');
      await orgs.claim('initech', 'team-i', 'initech.com');
      expect((await orgs.verify('initech', 'team-i', undefined)).kind).to.equal('failed');
      expect(await stateOf('initech')).to.equal(undefined);
    });

    it('gives the organisation to one of two that prove it at once, and the other one nothing', async () => {
      const tenants = ['team-g', 'team-x'];
      const signed = await Promise.all(
        tenants.map(async (tenant) => {
          const nonce = nonceOf(await orgs.claim('globex', tenant, 'globex.com'));
          return [tenant, key.sign('globex', tenant, nonce)] as const;
        }),
      );
      const results = await Promise.all(signed.map(([tenant, signature]) => orgs.verify('globex', tenant, signature)));
      expect(results.map(({ kind }) => kind)).to.have.members(['verified', 'taken']);
      expect(await events('globex')).to.deep.equal(['verified dns']);
    });

    it('of an own organisation goes on when a re-check changed it meanwhile', async () => {
      await prove();
      const nonce = nonceOf(await orgs.claim('globex', 'team-g', 'globex.com'));
      const [verified] = await Promise.all([
        orgs.verify('globex', 'team-g', key.sign('globex', 'team-g', nonce)),
        market.clock.advance(1).then(() => orgs.recheck('globex')),
      ]);
      expect(verified.kind).to.equal('verified');
    });

    it('does not lift a suspension', async () => {
      await prove();
      await orgs.setStatus('globex', 'suspended', 'sold');
      expect((await prove()).kind).to.equal('failed');
      expect((await orgs.verify('globex', 'team-g', undefined)).kind).to.equal('failed');
      expect(await stateOf('globex')).to.equal('suspended');
    });

    it('lets one of two that look alike through', async () => {
      records.set('g1obex.com', [key.record('g1obex')]);
      const nonce = nonceOf(await orgs.claim('g1obex', 'team-x', 'g1obex.com'));
      await prove();
      const late = await orgs.verify('g1obex', 'team-x', key.sign('g1obex', 'team-x', nonce));
      expect(late).to.deep.equal({ kind: 'failed', why: 'It looks like globex.' });
    });
  });

  describe('recheck', () => {
    beforeEach(() => prove());

    it('leaves a proof that holds, and writes no entry', async () => {
      expect(await orgs.recheck('globex')).to.equal(true);
      expect([await stateOf('globex'), await events('globex')]).to.deep.equal(['verified', ['verified dns']]);
    });

    it('gives up after three failures in a row, and comes back with the record', async () => {
      changed = 0;
      records.delete('globex.com');
      const states: (string | undefined)[] = [];
      for (let day = 0; day < 4; day += 1) {
        await orgs.recheck('globex');
        states.push(await stateOf('globex'));
      }
      expect(states).to.deep.equal(['verified', 'verified', 'unverified', 'unverified']);
      records.set('globex.com', [key.record('globex')]);
      expect(await orgs.recheck('globex')).to.equal(true);
      expect(await stateOf('globex')).to.equal('verified');
      expect(await events('globex')).to.deep.equal(['verified dns', 'unverified dns', 'verified dns']);
      expect(changed).to.equal(2);
    });

    it('counts failures in a row only', async () => {
      for (let round = 0; round < 3; round += 1) {
        records.delete('globex.com');
        await orgs.recheck('globex');
        await orgs.recheck('globex');
        records.set('globex.com', [key.record('globex')]);
        await orgs.recheck('globex');
      }
      expect(await events('globex')).to.deep.equal(['verified dns']);
    });

    it('takes another key for a failure', async () => {
      records.set('globex.com', [other.record('globex')]);
      expect(await orgs.recheck('globex')).to.equal(false);
    });

    it('checks neither a proof by the operator, nor a claimed or suspended organisation', async () => {
      await orgs.claim('initech', 'team-i', 'initech.com');
      await orgs.setStatus('globex', 'suspended', 'sold');
      asked = [];
      for (const org of ['acme', 'initech', 'globex', 'nobody']) expect(await orgs.recheck(org)).to.equal(undefined);
      expect(asked).to.deep.equal([]);
    });
  });

  describe('setStatus', () => {
    it('suspends, and gives back', async () => {
      const suspended = await orgs.setStatus('acme', 'suspended', 'sold');
      expect([suspended.kind, await stateOf('acme')]).to.deep.equal(['done', 'suspended']);
      expect(await shownStatus()).to.equal('suspended');
      expect((await orgs.setStatus('acme', 'restored', 'bought back')).kind).to.equal('done');
      expect([await stateOf('acme'), await shownStatus()]).to.deep.equal(['verified', 'active']);
      expect(await events('acme')).to.deep.equal(['verified operator', 'suspended operator', 'restored operator']);
      expect(changed).to.equal(2);
    });

    it('says where the entry is', async () => {
      const result = await orgs.setStatus('acme', 'suspended', 'sold');
      const size = await market.ledger.logSize();
      expect(result).to.deep.equal({ kind: 'done', logIndex: size - 1 });
    });

    it('gives back no more than there was', async () => {
      await prove();
      records.clear();
      for (let day = 0; day < 3; day += 1) await orgs.recheck('globex');
      await orgs.setStatus('globex', 'suspended', 'sold');
      await orgs.setStatus('globex', 'restored', 'bought back');
      expect(await stateOf('globex')).to.equal('unverified');
      expect((await events('globex')).slice(-3)).to.deep.equal(['suspended dns', 'restored dns', 'unverified dns']);
    });

    it('does not prove a claim by the way', async () => {
      await orgs.claim('globex', 'team-g', 'globex.com');
      expect((await orgs.setStatus('globex', 'suspended', 'x')).kind).to.equal('unknown');
      expect((await orgs.setStatus('globex', 'restored', 'x')).kind).to.equal('unknown');
      expect(await stateOf('globex')).to.equal(undefined);
    });

    it('refuses what holds already', async () => {
      expect((await orgs.setStatus('acme', 'restored', 'x')).kind).to.equal('refused');
      await orgs.setStatus('acme', 'suspended', 'x');
      expect((await orgs.setStatus('acme', 'suspended', 'x')).kind).to.equal('refused');
      expect((await orgs.setStatus('nobody', 'suspended', 'x')).kind).to.equal('unknown');
    });
  });
});
