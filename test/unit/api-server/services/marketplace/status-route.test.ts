import { expect } from 'chai';
import { statusRoute } from '../../../../../api-server/services/marketplace/status-route.ts';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { readEntry } from '../../../../../core/log-entry/entry.ts';
import { aMarketplace, aPlatformAdmin, aPublisher, type Marketplace } from '../../../../support/a-marketplace.ts';
import { startApp, type Called } from '../../../../support/api-app.ts';
import { ORB } from '../../../../support/reputation-rows.ts';

const HEADERS = { 'content-type': 'application/json' };
type Ask = readonly [status: unknown, by: Caller];

const owner = aPublisher();
const ownerWithAdmin = aPublisher(['acme'], 'admin');
const foreign = aPublisher(['globex']);
const platform = aPlatformAdmin();
const everyone = aPublisher('*', 'admin');

describe('POST /marketplace/orbs/{orb_id}/status', () => {
  let market: Marketplace;
  beforeEach(async () => (market = await aMarketplace()));
  afterEach(() => market.close());

  async function post(path: string, body: unknown, caller: Caller): Promise<Called> {
    const app = await startApp([statusRoute(market.reputation)], { caller });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await app.call('POST', path, { headers: HEADERS, body: text });
    await app.close();
    return answer;
  }
  const change = ([status, by]: Ask): Promise<Called> =>
    post(`/marketplace/orbs/${ORB}/status`, { status, reason: 'a reason' }, by);

  const done: [why: string, before: readonly Ask[], ask: Ask][] = [
    ['its publisher deprecates', [], ['deprecated', owner]],
    ['its publisher restores', [['deprecated', owner]], ['active', owner]],
    ['its publisher yanks', [], ['yanked', owner]],
    ['its publisher yanks a deprecated one', [['deprecated', owner]], ['yanked', owner]],
    ['the platform suspends', [], ['suspended', platform]],
    ['the platform restores', [['suspended', platform]], ['active', platform]],
    [
      'the platform restores a deprecated one',
      [
        ['deprecated', owner],
        ['suspended', platform],
      ],
      ['deprecated', platform],
    ],
    ['the platform suspends a yanked one', [['yanked', owner]], ['suspended', platform]],
    [
      'the platform restores a yanked one',
      [
        ['yanked', owner],
        ['suspended', platform],
      ],
      ['yanked', platform],
    ],
    ['a key of all tenants yanks', [], ['yanked', everyone]],
  ];
  for (const [why, before, ask] of done) {
    it(`${why}: 200, with an entry`, async () => {
      for (const one of before) expect((await change(one)).status).to.equal(200);
      const size = await market.ledger.logSize();
      const { status, value } = await change(ask);
      expect([status, value]).to.deep.equal([200, { orb_id: ORB, status: ask[0], log: { index: size } }]);
      const [text = ''] = await market.ledger.entries(size, size + 1);
      expect(readEntry(text)).to.deep.include({ kind: 'orb_status', orb_id: ORB, status: ask[0], reason: 'a reason' });
      expect(market.reputation.listings.orb(ORB)?.status).to.equal(ask[0]);
    });
  }

  const refused: [why: string, before: readonly Ask[], ask: Ask, status: number, code: string][] = [
    ['what it is already', [], ['active', owner], 409, 'status-transition'],
    ['deprecated twice', [['deprecated', owner]], ['deprecated', owner], 409, 'status-transition'],
    ['a yanked version restored', [['yanked', owner]], ['active', owner], 409, 'status-transition'],
    ['a yanked version deprecated', [['yanked', owner]], ['deprecated', owner], 409, 'status-transition'],
    ['a yanked version restored by all tenants', [['yanked', owner]], ['active', everyone], 409, 'status-transition'],
    ['suspended twice', [['suspended', platform]], ['suspended', platform], 409, 'status-transition'],
    ['a suspension that ends as yanked', [['suspended', platform]], ['yanked', platform], 409, 'status-transition'],
    [
      'a yanked version restored through a suspension',
      [
        ['yanked', owner],
        ['suspended', platform],
      ],
      ['active', platform],
      409,
      'status-transition',
    ],
    ['suspended by its publisher', [], ['suspended', owner], 403, 'forbidden'],
    ['suspended by admin of a tenant', [], ['suspended', ownerWithAdmin], 403, 'forbidden'],
    ['a suspension lifted by its publisher', [['suspended', platform]], ['active', owner], 403, 'forbidden'],
    [
      'a suspension lifted by admin of a tenant',
      [['suspended', platform]],
      ['active', ownerWithAdmin],
      403,
      'forbidden',
    ],
    ['a suspended version yanked by its publisher', [['suspended', platform]], ['yanked', owner], 403, 'forbidden'],
    ['deprecated by another tenant', [], ['deprecated', foreign], 403, 'forbidden'],
    ['yanked by another tenant', [], ['yanked', foreign], 403, 'forbidden'],
    ['yanked by the platform', [], ['yanked', platform], 403, 'forbidden'],
    ['a word that is no status', [], ['gone', owner], 400, 'invalid-parameter'],
    ['a status that is no text', [], [1, owner], 400, 'invalid-parameter'],
  ];
  for (const [why, before, ask, status, code] of refused) {
    it(`${why}: ${status} ${code}, and nothing is written`, async () => {
      for (const one of before) expect((await change(one)).status).to.equal(200);
      const size = await market.ledger.logSize();
      const answer = await change(ask);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      expect(await market.ledger.logSize()).to.equal(size);
    });
  }

  const bodies: [why: string, body: unknown, code: string][] = [
    ['no reason', { status: 'yanked' }, 'invalid-parameter'],
    ['an empty reason', { status: 'yanked', reason: '' }, 'invalid-parameter'],
    ['a long reason', { status: 'yanked', reason: 'x'.repeat(257) }, 'invalid-parameter'],
    ['a reason that is not in normalisation form C', { status: 'yanked', reason: 'e\u0301' }, 'invalid-parameter'],
    ['a reason with half of a surrogate pair', '{"status":"yanked","reason":"\\ud800"}', 'invalid-parameter'],
    ['a list', [], 'invalid-parameter'],
    ['no JSON', '{', 'invalid-json'],
    ['a member twice', '{"status":"yanked","status":"active","reason":"x"}', 'invalid-json'],
  ];
  for (const [why, body, code] of bodies) {
    it(`${why}: 400 ${code}`, async () => {
      const answer = await post(`/marketplace/orbs/${ORB}/status`, body, owner);
      expect([answer.status, answer.code]).to.deep.equal([400, code]);
      expect(market.reputation.listings.orb(ORB)?.status).to.equal('active');
    });
  }

  it('refuses another member: 422 unknown-member', async () => {
    const body = { status: 'yanked', reason: 'x', force: true };
    const answer = await post(`/marketplace/orbs/${ORB}/status`, body, owner);
    expect([answer.status, answer.code]).to.deep.equal([422, 'unknown-member']);
    expect(market.reputation.listings.orb(ORB)?.status).to.equal('active');
  });

  const ids = [
    'acme.echo@9.9.9',
    'acme%2Fecho@1.0.0',
    '%3Cscript%3E',
    '__proto__',
    '..%2F..%2Fetc',
    'acme.echo@1.0.0%00',
  ];
  for (const id of ids) {
    it(`${id}: 404 orb-not-published`, async () => {
      const answer = await post(`/marketplace/orbs/${id}/status`, { status: 'yanked', reason: 'x' }, owner);
      expect([answer.status, answer.code]).to.deep.equal([404, 'orb-not-published']);
    });
  }

  it('takes %40 for @', async () => {
    const path = `/marketplace/orbs/${encodeURIComponent(ORB)}/status`;
    expect((await post(path, { status: 'deprecated', reason: 'x' }, owner)).status).to.equal(200);
  });

  it('lets one of two concurrent changes through', async () => {
    const both = await Promise.all([change(['yanked', owner]), change(['deprecated', owner])]);
    const statuses = both.map(({ status }) => status);
    expect(statuses).to.include(200);
    expect(statuses.filter((status) => status === 409).length).to.be.at.most(1);
    expect(market.reputation.listings.orb(ORB)?.status).to.be.oneOf(['yanked', 'deprecated']);
  });
});
