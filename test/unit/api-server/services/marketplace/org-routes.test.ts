import { expect } from 'chai';
import { orgRoutes } from '../../../../../api-server/services/marketplace/org-routes.ts';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { aMarketplace, aPlatformAdmin, aPublisher, type Marketplace } from '../../../../support/a-marketplace.ts';
import { aCaller, startApp, type Called } from '../../../../support/api-app.ts';
import { anOrgKey } from '../../../../support/an-org-key.ts';

const key = anOrgKey();
const globex = aPublisher(['team-g']);
const CLAIM = { org: 'globex', proof: 'dns', domain: 'globex.com' };

const textAt = (value: unknown, name: string): string => {
  const found: unknown = Object.entries(typeof value === 'object' && value !== null ? value : {}).find(
    ([member]) => member === name,
  )?.[1];
  return typeof found === 'string' ? found : '';
};

describe('routes of organisations', () => {
  let market: Marketplace;
  let record: string;
  beforeEach(async () => {
    record = key.record('globex');
    market = await aMarketplace({ resolveTxt: async () => [record] });
  });
  afterEach(() => market.close());

  async function call(method: string, path: string, body: unknown, caller: Caller): Promise<Called> {
    const app = await startApp(orgRoutes(market.reputation), { caller });
    const sent =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await app.call(method, path, sent);
    await app.close();
    return answer;
  }
  const claim = (body: unknown = CLAIM, caller = globex, query = ''): Promise<Called> =>
    call('POST', `/marketplace/orgs${query}`, body, caller);
  const verify = (body: unknown, caller = globex, org = 'globex'): Promise<Called> =>
    call('POST', `/marketplace/orgs/${org}/verify`, body, caller);
  const show = (org: string): Promise<Called> => call('GET', `/marketplace/orgs/${org}`, undefined, globex);
  const setStatus = (body: unknown, caller: Caller, org = 'acme'): Promise<Called> =>
    call('POST', `/marketplace/orgs/${org}/status`, body, caller);
  const signed = async (): Promise<{ readonly signature: string }> => ({
    signature: key.sign('globex', 'team-g', textAt((await claim()).value, 'nonce')),
  });

  it('prove a claim: challenge, signature, state', async () => {
    const claimed = await claim();
    expect(claimed.status).to.equal(201);
    const nonce = textAt(claimed.value, 'nonce');
    expect(claimed.value).to.deep.equal({
      org: 'globex',
      namespace: 'team-g',
      nonce,
      expires_at: new Date(market.clock.now() + 86_400_000).toISOString(),
      sign: `orb-org-claim\nglobex\nteam-g\n${nonce}`,
    });
    expect((await show('globex')).status).to.equal(404);
    const proven = await verify({ signature: key.sign('globex', 'team-g', nonce) });
    expect([proven.status, proven.value]).to.deep.equal([200, { org: 'globex', state: 'verified' }]);
    expect((await show('globex')).value).to.deep.include({ state: 'verified', proof: 'dns', published: 0 });
    expect((await verify({})).status).to.equal(200);
  });

  const claims: [why: string, body: unknown, caller: Caller, query: string, status: number, code: string][] = [
    ['an organisation of another tenant', { ...CLAIM, org: 'acme', domain: 'acme.com' }, globex, '', 409, 'org-taken'],
    ['a look-alike', { ...CLAIM, org: 'acrne', domain: 'acrne.com' }, globex, '', 409, 'name-confusable'],
    ['a reserved name', { ...CLAIM, org: 'admin', domain: 'admin.com' }, globex, '', 409, 'name-confusable'],
    ['another domain', { ...CLAIM, domain: 'initech.com' }, globex, '', 400, 'invalid-parameter'],
    ['no domain', { org: 'globex', proof: 'dns' }, globex, '', 400, 'invalid-parameter'],
    ['a proof that only the operator gives', { ...CLAIM, proof: 'operator' }, globex, '', 400, 'invalid-parameter'],
    ['a proof that does not exist yet', { ...CLAIM, proof: 'github_oidc' }, globex, '', 400, 'invalid-parameter'],
    ['a name in upper case', { ...CLAIM, org: 'Globex' }, globex, '', 400, 'invalid-parameter'],
    ['a name with markup', { ...CLAIM, org: '<b>' }, globex, '', 400, 'invalid-parameter'],
    ['a name with a line feed', { ...CLAIM, org: 'globex\n' }, globex, '', 400, 'invalid-parameter'],
    ['a long name', { ...CLAIM, org: 'g'.repeat(64) }, globex, '', 400, 'invalid-parameter'],
    ['a name that is no text', { ...CLAIM, org: ['globex'] }, globex, '', 400, 'invalid-parameter'],
    ['another member', { ...CLAIM, force: true }, globex, '', 422, 'unknown-member'],
    ['a foreign namespace', CLAIM, globex, '?namespace=acme', 404, 'namespace-not-found'],
    ['a key of several tenants', CLAIM, aPublisher(['team-g', 'acme']), '', 409, 'namespace-ambiguous'],
    ['a key without the scope', CLAIM, aCaller(), '', 403, 'forbidden'],
  ];
  for (const [why, body, caller, query, status, code] of claims) {
    it(`refuse to begin for ${why}: ${status} ${code}, and write nothing`, async () => {
      const answer = await claim(body, caller, query);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      expect(await market.ledger.orgs(0)).to.have.length(1);
    });
  }

  it('begin 16 claims of a tenant: then 429 rate-limited, which says what to do', async () => {
    const wide = (number: number): unknown => ({ ...CLAIM, org: `wide${number}-com`, domain: `wide${number}.com` });
    for (let number = 0; number < 16; number += 1) expect((await claim(wide(number))).status).to.equal(201);
    const more = await claim();
    expect([more.status, more.code]).to.deep.equal([429, 'rate-limited']);
    expect(textAt(more.value, 'detail')).to.match(/16 open claims.*verify/);
    expect(more.headers.get('retry-after')).to.equal('60');
    expect((await claim(CLAIM, aPublisher(['team-x']))).status).to.equal(201);
  });

  it('begin a claim for the namespace that is named', async () => {
    const answer = await claim(CLAIM, aPublisher(['team-g', 'acme']), '?namespace=acme');
    expect(textAt(answer.value, 'namespace')).to.equal('acme');
  });

  const proofs: [why: string, body: () => Promise<unknown>, caller: Caller, status: number, code: string][] = [
    ['another signature', async () => ({ signature: 'AAAA' }), globex, 409, 'org-proof-failed'],
    ['no signature', async () => ({}), globex, 409, 'org-proof-failed'],
    ['a signature that is no text', async () => ({ signature: 1 }), globex, 400, 'invalid-parameter'],
    ['a long signature', async () => ({ signature: 'A'.repeat(513) }), globex, 400, 'invalid-parameter'],
    ['another tenant', signed, aPublisher(['team-x']), 404, 'org-not-found'],
  ];
  for (const [why, body, caller, status, code] of proofs) {
    it(`refuse a proof with ${why}: ${status} ${code}`, async () => {
      await claim();
      const answer = await verify(await body(), caller);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      expect(market.reputation.listings.org('globex')).to.equal(undefined);
      expect(await market.ledger.orgs(0)).to.have.length(1);
    });
  }

  it('refuse a proof whose record is gone', async () => {
    const body = await signed();
    record = 'v=spf1 -all';
    expect((await verify(body)).code).to.equal('org-proof-failed');
  });

  for (const org of ['nobody', 'acme%2Fx', '%3Cb%3E', '__proto__', 'acme%00']) {
    it(`know no organisation ${org}`, async () => {
      expect((await show(org)).code).to.equal('org-not-found');
      expect((await verify({ signature: 'AAAA' }, globex, org)).code).to.equal('org-not-found');
      expect((await setStatus({ status: 'suspended', reason: 'x' }, aPlatformAdmin(), org)).code).to.equal(
        'org-not-found',
      );
    });
  }

  it('show what is proven, and how much is published', async () => {
    await market.publish('1.1.0');
    expect((await show('acme')).value).to.deep.equal({
      org: 'acme',
      state: 'verified',
      proof: 'operator',
      domain: null,
      since: new Date(market.clock.now()).toISOString(),
      published: 2,
    });
  });

  it('show the domain that proves it: acme.com and acme.org may both prove acme', async () => {
    expect((await verify(await signed())).status).to.equal(200);
    expect((await show('globex')).value).to.deep.include({ proof: 'dns', domain: 'globex.com' });
  });

  it('suspend and restore for the platform', async () => {
    const size = await market.ledger.logSize();
    const done = await setStatus({ status: 'suspended', reason: 'sold' }, aPlatformAdmin());
    expect([done.status, done.value]).to.deep.equal([200, { org: 'acme', status: 'suspended', log: { index: size } }]);
    expect((await show('acme')).value).to.deep.include({ state: 'suspended' });
    const again = await setStatus({ status: 'suspended', reason: 'sold' }, aPlatformAdmin());
    expect([again.status, again.code]).to.deep.equal([409, 'status-transition']);
    expect((await setStatus({ status: 'restored', reason: 'back' }, aPlatformAdmin())).status).to.equal(200);
    expect((await show('acme')).value).to.deep.include({ state: 'verified' });
  });

  const statuses: [why: string, body: unknown, caller: Caller, status: number, code: string][] = [
    [
      'admin by the key of a tenant',
      { status: 'suspended', reason: 'x' },
      aPublisher(['acme'], 'admin'),
      403,
      'forbidden',
    ],
    ['a key without the scope', { status: 'suspended', reason: 'x' }, aPublisher(['orb-system']), 403, 'forbidden'],
    ['a state that is none', { status: 'verified', reason: 'x' }, aPlatformAdmin(), 400, 'invalid-parameter'],
    ['no reason', { status: 'suspended' }, aPlatformAdmin(), 400, 'invalid-parameter'],
    ['a reason that is no text', { status: 'suspended', reason: 1 }, aPlatformAdmin(), 400, 'invalid-parameter'],
  ];
  for (const [why, body, caller, status, code] of statuses) {
    it(`refuse to suspend for ${why}: ${status} ${code}, and write nothing`, async () => {
      const size = await market.ledger.logSize();
      const answer = await setStatus(body, caller);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      expect(await market.ledger.logSize()).to.equal(size);
    });
  }
});
