import { expect } from 'chai';
import { listRoute, publicListRoute } from '../../../../../api-server/services/marketplace/list-routes.ts';
import type { ListingChange } from '../../../../../api-server/reputation/listings.ts';
import { NOT_EVALUATED, type ListedOrb } from '../../../../../core/publication/listed-orb.ts';
import { aListedVersion } from '../../../../support/a-listed-orb.ts';
import { aPublisher } from '../../../../support/a-marketplace.ts';
import { startApp, type Called, type CallOptions, type TestApp } from '../../../../support/api-app.ts';
import { aCaller } from '../../../../support/api-app.ts';
import { createFakeClock, type FakeClock } from '../../../../support/fake-clock.ts';

const HOSTILE = '<script>alert(1)</script>\u202e\u0000"\\';
const someOrbs = (): ListedOrb[] => [
  aListedVersion('acme.mail@1.0.0', {
    description: HOSTILE,
    standing: { ...NOT_EVALUATED, tier: 'gold', scoreBp: 9000, score: 90 },
  }),
  aListedVersion('acme.mail@1.1.0'),
  aListedVersion('acme.text@1.0.0', { status: 'deprecated' }),
  aListedVersion('globex.sms@1.0.0', { status: 'yanked' }),
];
const many = (count: number): ListedOrb[] =>
  Array.from({ length: count }, (_, at) => aListedVersion(`acme.orb-${String(at).padStart(5, '0')}@1.0.0`));

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const itemsOf = ({ value }: Called): readonly Readonly<Record<string, unknown>>[] => {
  const { items } = membersOf(value);
  return Array.isArray(items) ? items.map(membersOf) : [];
};
const idsOf = (answer: Called): readonly unknown[] => itemsOf(answer).map(({ orb_id: id }) => id);
const parametersOf = ({ value }: Called): readonly unknown[] => {
  const { errors } = membersOf(value);
  return Array.isArray(errors) ? errors.map((error) => membersOf(error)['parameter']) : [];
};

describe('lists of the marketplace', () => {
  let app: TestApp;
  let orbs: ListedOrb[];
  let clock: FakeClock;
  let changed: () => void;
  let listener: (change: ListingChange) => void;
  /** How often all Orbs were read. */
  let looks: number;
  beforeEach(async () => {
    [orbs, looks] = [someOrbs(), 0];
    clock = createFakeClock(0);
    listener = () => undefined;
    const listings = {
      all: () => {
        looks += 1;
        return orbs;
      },
      orb: (orbId: string) => orbs.find((orb) => orb.orbId === orbId),
      watch: (added: typeof listener) => {
        listener = added;
        return () => undefined;
      },
    };
    const ids = (): readonly string[] => orbs.map(({ orbId }) => orbId);
    const before = new Set(ids());
    changed = () => listener({ orbs: new Set([...before, ...ids()]), orgs: new Set() });
    app = await startApp([listRoute(listings), publicListRoute(listings, clock)], { caller: aPublisher() });
  });
  afterEach(() => app.close());

  /** Asks for the public list, without a key. */
  const get = (query = '', options: CallOptions = {}): Promise<Called> =>
    app.call('GET', `/marketplace/orbs/public${query}`, { key: null, ...options });

  /** Sets something of `acme.mail@1.1.0`, the only version that the list shows. */
  const set = (change: Partial<ListedOrb>): void => {
    orbs = orbs.map((orb) => (orb.orbId === 'acme.mail@1.1.0' ? { ...orb, ...change } : orb));
    changed();
  };
  const shown = async (): Promise<readonly unknown[]> =>
    itemsOf(await get()).map((item) => [item['certification_tier'], item['reputation_score'], item['description']]);

  const refused: [query: string, parameter: string | undefined][] = [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=10001', 'offset'],
    ['offset=1e3', 'offset'],
    ['limit=1&limit=2', 'limit'],
    ['offset=1&offset=1', 'offset'],
    ['page=2', undefined],
    ['%3Cscript%3E=1', undefined],
  ];
  const refusedBySchema: typeof refused = [
    ['tier=plaid', 'tier'],
    ['tier=gold,plaid', 'tier'],
    ['tier=gold,', 'tier'],
    ['tier=Gold', 'tier'],
    ['tier=', 'tier'],
    ['tier=gold&tier=silver', 'tier'],
    ['min_tier=gold,silver', 'min_tier'],
    ['min_tier=constructor', 'min_tier'],
    ['q=', 'q'],
    [`q=${'x'.repeat(101)}`, 'q'],
    ['capability=Text.', 'capability'],
    ['capability=..', 'capability'],
    ['capability=%2e%2e%2f', 'capability'],
    ['org=acme/x', 'org'],
    ['org=%3Cb%3E', 'org'],
    ['status=gone', 'status'],
    ['status=active,', 'status'],
    ['updated_since=yesterday', 'updated_since'],
    ['updated_since=2026-02-30T00:00:00Z', 'updated_since'],
    ['updated_since=2026-11-20', 'updated_since'],
    ['latest=1', 'latest'],
    ['latest=TRUE', 'latest'],
    ['sort=price', 'sort'],
    ['sort=__proto__', 'sort'],
  ];
  const both: [path: string, rows: typeof refused][] = [
    ['/marketplace/orbs', [...refused, ...refusedBySchema]],
    ['/marketplace/orbs/public', [...refused, ['tier=gold', undefined]]],
  ];
  for (const [path, rows] of both)
    for (const [query, parameter] of rows) {
      it(`${path}?${query.slice(0, 40)}: 400 with the parameter`, async () => {
        const answer = await app.call('GET', `${path}?${query}`);
        expect([answer.status, answer.code]).to.deep.equal([400, 'invalid-parameter']);
        expect(parametersOf(answer)).to.include(parameter);
      });
    }

  it('tell all faults at once', async () => {
    const answer = await app.call('GET', '/marketplace/orbs?limit=0&tier=plaid&sort=x');
    expect(parametersOf(answer)).to.have.members(['limit', 'tier', 'sort']);
  });

  describe('GET /marketplace/orbs', () => {
    it('needs a key with its scope', async () => {
      expect((await app.call('GET', '/marketplace/orbs', { key: null })).status).to.equal(401);
      const listings = { all: () => orbs };
      const other = await startApp([listRoute(listings)], { caller: aCaller() });
      const { status, code } = await other.call('GET', '/marketplace/orbs');
      expect([status, code]).to.deep.equal([403, 'forbidden']);
      await other.close();
    });

    it('has active and deprecated versions, the best score first', async () => {
      const answer = await app.call('GET', '/marketplace/orbs');
      expect(idsOf(answer)).to.deep.equal(['acme.mail@1.0.0', 'acme.mail@1.1.0', 'acme.text@1.0.0']);
      expect(answer.value).to.deep.include({ total: 3, limit: 20, offset: 0, next: null });
      expect(answer.headers.get('link')).to.equal(null);
    });

    it('has every member of the reference', async () => {
      const [first] = itemsOf(await app.call('GET', '/marketplace/orbs?limit=1'));
      expect(first).to.deep.equal({
        orb_id: 'acme.mail@1.0.0',
        org: 'acme',
        name: 'acme.mail',
        version: '1.0.0',
        description: HOSTILE,
        provider: 'main',
        capabilities: [],
        certification_tier: 'gold',
        tier_status: 'stable',
        reputation_score: 90,
        score_bp: 9000,
        confidence: 'provisional',
        status: 'active',
        manifest_digest: `sha256:${'a'.repeat(64)}`,
        publisher: { org: 'acme', verified: true, proof: 'operator', since: '1970-01-01T00:00:00.000Z' },
        published_at: '1970-01-01T00:00:00.000Z',
        updated_at: '1970-01-01T00:00:00.000Z',
        links: {
          reputation: '/reputation/acme.mail%401.0.0',
          certificate: '/reputation/acme.mail%401.0.0/certificate',
          badge: '/reputation/acme.mail%401.0.0/badge',
        },
      });
    });

    it('leads through all pages, in body and header, with the filters', async () => {
      orbs = many(45);
      const seen: unknown[] = [];
      let path: unknown = '/marketplace/orbs?org=acme&sort=name';
      while (typeof path === 'string') {
        const answer: Called = await app.call('GET', path);
        seen.push(...idsOf(answer));
        path = membersOf(answer.value)['next'];
        expect(answer.headers.get('link')).to.equal(typeof path === 'string' ? `<${path}>; rel="next"` : null);
        if (typeof path === 'string') expect(path).to.include('org=acme');
      }
      expect(seen).to.deep.equal(orbs.map(({ orbId }) => orbId));
    });

    it('has no next page where the offset ends', async () => {
      orbs = many(10_200);
      const last = await app.call('GET', '/marketplace/orbs?limit=100&offset=10000');
      expect(itemsOf(last)).to.have.length(100);
      expect(last.value).to.deep.include({ total: 10_200, next: null });
      const before = await app.call('GET', '/marketplace/orbs?limit=100&offset=9900');
      expect(membersOf(before.value)['next']).to.equal('/marketplace/orbs?limit=100&offset=10000');
    });

    it('answers an offset beyond the end with no items', async () => {
      expect((await app.call('GET', '/marketplace/orbs?offset=500')).value).to.deep.include({ items: [], total: 3 });
    });

    it('takes 100 characters, not bytes, for q', async () => {
      expect((await app.call('GET', `/marketplace/orbs?q=${encodeURIComponent('😀'.repeat(100))}`)).status).to.equal(
        200,
      );
    });

    it('filters by what was asked for', async () => {
      expect(idsOf(await app.call('GET', '/marketplace/orbs?tier=gold,silver'))).to.deep.equal(['acme.mail@1.0.0']);
      expect(idsOf(await app.call('GET', '/marketplace/orbs?status=yanked'))).to.deep.equal(['globex.sms@1.0.0']);
      expect(idsOf(await app.call('GET', '/marketplace/orbs?q=%3CSCRIPT'))).to.deep.equal(['acme.mail@1.0.0']);
      expect(idsOf(await app.call('GET', '/marketplace/orbs?latest=true'))).to.deep.equal(['acme.mail@1.1.0']);
    });
  });

  describe('GET /marketplace/orbs/public', () => {
    it('has the highest active version of each name, with four members', async () => {
      orbs.push(aListedVersion('globex.chat@1.0.0'));
      const answer = await get();
      expect(answer.value).to.deep.equal({
        items: [
          { name: 'acme.mail', description: '', certification_tier: 'uncertified', reputation_score: 0 },
          { name: 'globex.chat', description: '', certification_tier: 'uncertified', reputation_score: 0 },
        ],
        total: 2,
        limit: null,
        offset: 0,
        next: null,
      });
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=60');
    });

    it('gives a hostile description as the text that it is, as JSON that no browser runs', async () => {
      orbs = orbs.slice(0, 1);
      const answer = await get();
      expect(itemsOf(answer)[0]?.['description']).to.equal(HOSTILE);
      expect(answer.headers.get('content-type')).to.match(/^application\/json/);
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
    });

    it('has all Orbs without parameters, and pages with them', async () => {
      orbs = many(250);
      expect(itemsOf(await get())).to.have.length(250);
      const page = await get('?limit=100&offset=200');
      expect(itemsOf(page)).to.have.length(50);
      expect(page.value).to.deep.include({ total: 250, limit: 100, offset: 200, next: null });
      expect(membersOf((await get('?offset=100')).value)['next']).to.equal(
        '/marketplace/orbs/public?offset=200&limit=100',
      );
    });

    it('is not sent twice while nothing changed, and anew after a change', async () => {
      const etag = (await get()).headers.get('etag') ?? '';
      const again = { headers: { 'if-none-match': etag } };
      expect((await get('', again)).status).to.equal(304);
      orbs = orbs.slice(2);
      changed();
      const answer = await get('', again);
      expect([answer.status, itemsOf(answer)]).to.deep.equal([200, []]);
    });

    it('shows a new tier, version or status at once', async () => {
      await get();
      set({ standing: { ...NOT_EVALUATED, tier: 'bronze', score: 40 } });
      expect(await shown()).to.deep.equal([['bronze', 40, '']]);
      orbs.push(aListedVersion('acme.mail@1.2.0', { description: 'newer' }));
      changed();
      expect(await shown()).to.deep.equal([['uncertified', 0, 'newer']]);
      orbs.pop();
      set({ status: 'yanked' });
      expect(await shown()).to.deep.equal([['gold', 90, HOSTILE]]);
    });

    it('leaves out the Orbs of an organisation that is suspended, and has them again at its end', async () => {
      const before = await shown();
      const restored = orbs;
      orbs = orbs.map((orb) => ({ ...orb, isSuspended: true }));
      changed();
      expect(await shown()).to.deep.equal([]);
      orbs = restored;
      changed();
      expect(await shown()).to.deep.equal(before);
    });

    it('shows scores that move all the time once a second', async () => {
      await get();
      for (const score of [1, 2, 3]) {
        set({ standing: { ...NOT_EVALUATED, score } });
        expect(await shown()).to.deep.equal([['uncertified', 0, '']]);
        await clock.advance(300);
      }
      await clock.advance(100);
      expect(await shown()).to.deep.equal([['uncertified', 3, '']]);
    });

    it('is not made again when nothing that it shows has changed', async () => {
      await get();
      looks = 0;
      set({ standing: { ...NOT_EVALUATED, scoreBp: 49 }, updatedAt: 5 });
      await clock.advance(10_000);
      await get();
      expect(looks).to.equal(0);
    });

    it('is the same with and without compression', async () => {
      const plain = await get('', { headers: { 'accept-encoding': 'identity' } });
      const zipped = await get('', { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
      expect(plain.headers.get('content-encoding')).to.equal(null);
      expect(zipped.headers.get('content-encoding')).to.equal('gzip');
      expect(zipped.value).to.deep.equal(plain.value);
      const refusing = await get('', { headers: { 'accept-encoding': 'gzip;q=0' } });
      expect(refusing.headers.get('content-encoding')).to.equal(null);
    });
  });
});
