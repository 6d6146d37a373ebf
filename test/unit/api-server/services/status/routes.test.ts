import { expect } from 'chai';
import { statusService } from '../../../../../api-server/services/status/service.ts';
import type { PlatformStatus } from '../../../../../api-server/status/platform-status.ts';
import { isJsonObject, type JsonObject } from '../../../../../core/json/json-value.ts';
import { SERVICES, type ServiceState } from '../../../../../core/status/service.ts';
import type { Scope } from '../../../../../core/api-key/scopes.ts';
import { aStatus } from '../../../../support/a-status.ts';
import { aCaller, startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { serviceParts } from '../../../../support/service-parts.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

const HOUR = 3_600_000;
const ROUND_MS = 30_000;

const objectOf = ({ value }: { readonly value: unknown }): JsonObject => (isJsonObject(value) ? value : {});

/** Objects of a list. */
function objectsOf(value: unknown): readonly JsonObject[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.map((item) => objectOf({ value: item }));
}

const services = (state: ServiceState, of: readonly string[] = SERVICES): JsonObject =>
  Object.fromEntries(
    of.map((name) => [name, { state, checks: [{ id: 'execute', ok: state === 'operational', ms: 41.5, code: null }] }]),
  );

describe('routes of the status', () => {
  let fixture: SqliteFixture;
  let status: PlatformStatus;
  let app: TestApp;
  let closeParts: () => Promise<void>;

  const open = async (): Promise<void> => {
    const { clock } = fixture;
    const ledger = await fixture.current();
    const parts = await serviceParts();
    closeParts = parts.close;
    status = aStatus({ ledger, clock });
    await status.open();
    const routes = statusService.routes({ ...parts.parts, status, clock });
    const scopes = new Set<Scope>(['status:report', 'admin']);
    app = await startApp(routes, { caller: aCaller({ tenants: ['orb-system'], scopes }), clock });
  };
  const close = async (): Promise<void> => {
    await app.close();
    await closeParts();
  };

  beforeEach(async () => {
    fixture = await openSqliteFixture();
    await open();
  });
  afterEach(async () => {
    await close();
    await fixture.dispose();
  });

  const time = (ms: number): string => new Date(fixture.clock.now() + ms).toISOString();
  const round = (from: number, to: number, state: ServiceState = 'operational'): JsonObject => ({
    at: time(from),
    until: time(to),
    services: services(state),
  });
  const ofIngestion = (state: ServiceState, from: number): JsonObject => ({
    ...round(from, from + 30_000),
    services: services(state, ['ingestion']),
  });
  const window = (from: number, to: number): JsonObject => ({
    services: ['runtime'],
    from: time(from),
    to: time(to),
    title: 'New disks\u0007 ',
  });
  const cancel = (id: unknown): Promise<Called> =>
    app.call('DELETE', `/status/maintenance/${typeof id === 'string' ? id : ''}`);

  const post = (path: string, body: unknown): Promise<Called> =>
    app.call('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const plan = (from: number, to: number): Promise<Called> => post('/status/maintenance', window(from, to));
  const tell = (...rounds: readonly JsonObject[]): Promise<Called> =>
    post('/status/rounds', { prober: 'orb-status-prober-1', rounds });
  const page = (headers: Readonly<Record<string, string>> = {}): Promise<Called> =>
    app.call('GET', '/status', { key: null, headers });

  it('answers 503 in place of an invented number while nothing was measured', async () => {
    const answer = await page();
    expect([answer.status, answer.code]).to.deep.equal([503, 'status-not-measured']);
    expect(answer.headers.get('retry-after')).to.equal('5');
    expect(objectOf(answer)['detail']).to.match(/^Nobody measures/);
  });

  it('says that a first round is under way where the process measures itself', async () => {
    await close();
    const { ledger, clock } = fixture;
    const parts = await serviceParts();
    closeParts = parts.close;
    const own = aStatus({ ledger, clock, ownIntervalMs: 60_000 });
    app = await startApp(statusService.routes({ ...parts.parts, status: own, clock }), { clock });
    expect(objectOf(await page())['detail']).to.equal('The first round of checks is under way.');
  });

  it('shows the five members of the specification to everybody, from every site', async () => {
    expect((await tell(round(-ROUND_MS, 0))).status).to.equal(200);
    const answer = await page();
    const body = objectOf(answer);
    expect(body['status']).to.equal('operational');
    expect(body['uptime_30d_pct']).to.equal(100);
    expect(body['incidents']).to.deep.equal([]);
    expect(body['services']).to.deep.equal(Object.fromEntries(SERVICES.map((name) => [name, 'operational'])));
    expect(body['last_updated']).to.equal(time(0));
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    expect(answer.headers.get('cache-control')).to.equal('public, max-age=15');
  });

  it('answers 304 and HEAD for a page that differs in the time of measuring alone', async () => {
    await tell(round(-ROUND_MS, 0));
    const first = await page();
    const etag = first.headers.get('etag') ?? '';
    await fixture.clock.advance(10_000);
    expect((await page({ 'if-none-match': etag })).status).to.equal(304);
    await fixture.clock.advance(ROUND_MS);
    await tell(round(-ROUND_MS, 0, 'partial_outage'));
    expect((await page({ 'if-none-match': etag })).status).to.equal(200);
    const head = await app.call('HEAD', '/status', { key: null });
    expect([head.status, head.body.length]).to.deep.equal([200, 0]);
  });

  it('weights an outage and opens an incident after two bad rounds', async () => {
    await tell(round(-4 * ROUND_MS, -2 * ROUND_MS), round(-2 * ROUND_MS, -ROUND_MS, 'major_outage'));
    expect(objectOf(await page())['incidents']).to.deep.equal([]);
    await tell(round(-ROUND_MS, 0, 'major_outage'));
    const body = objectOf(await page());
    expect([body['status'], body['uptime_30d_pct']]).to.deep.equal(['major_outage', 50]);
    const incidents = objectsOf(body['incidents']);
    expect(incidents).to.have.lengthOf(4);
    expect(incidents.find(({ title }) => title === 'Executing Orbs does not work')).to.deep.include({
      services: ['runtime'],
      status: 'investigating',
      impact: 'critical',
      started_at: time(-2 * ROUND_MS),
      resolved_at: null,
    });
  });

  it('goes on after a restart: history, open incident, and what it takes', async () => {
    await tell(round(-60_000, -30_000, 'major_outage'), round(-30_000, 0, 'major_outage'));
    const before = objectOf(await page());
    await close();
    await fixture.reopen();
    await open();
    const after = objectOf(await page());
    expect(after['incidents']).to.deep.equal(before['incidents']);
    expect(after['uptime_30d_pct']).to.equal(0);
    expect((await tell(round(-20_000, 0, 'operational'))).code).to.equal('round-invalid');
    expect(objectOf(await tell())['last']).to.equal(time(0));
    await fixture.clock.advance(120_000);
    await tell(round(-90_000, -60_000), round(-60_000, -30_000), round(-30_000, 0));
    expect(objectOf(await page())['incidents']).to.deep.equal([]);
    const days = objectOf(await app.call('GET', '/status/days?days=1', { key: null }));
    expect(objectsOf(days['incidents']).map(({ status: then }) => then)).to.deep.equal(SERVICES.map(() => 'resolved'));
  });

  it('writes opening, worsening and closing of an incident to the log, about no Orb', async () => {
    await tell(ofIngestion('degraded_performance', -180_000), ofIngestion('degraded_performance', -150_000));
    await tell(ofIngestion('major_outage', -120_000));
    await tell(
      ofIngestion('operational', -90_000),
      ofIngestion('operational', -60_000),
      ofIngestion('operational', -30_000),
    );
    const size = await fixture.ledger.logSize();
    const entries = (await fixture.ledger.entries(0, size)).map((text): unknown => JSON.parse(text));
    const found = entries.filter((entry) => isJsonObject(entry) && entry['kind'] === 'incident');
    expect(
      found.map((entry) => isJsonObject(entry) && [entry['event'], entry['impact'], entry['orb_id']]),
    ).to.deep.equal([
      ['opened', 'minor', null],
      ['updated', 'critical', null],
      ['resolved', 'critical', null],
    ]);
  });

  const refused: readonly (readonly [why: string, rounds: () => readonly JsonObject[]])[] = [
    ['of the future', () => [round(0, 5002)]],
    ['older than 30 days', () => [round(-30 * 24 * HOUR - 60_000, -30 * 24 * HOUR - 30_000)]],
    ['that overlaps what is kept', () => [round(-40_000, -35_000, 'unknown')]],
    ['behind a later one', () => [round(-20_000, -10_000), round(-30_000, -20_000)]],
  ];
  for (const [why, rounds] of refused) {
    it(`refuses a round ${why} with 422, and writes nothing`, async () => {
      await tell(round(-60_000, -30_000));
      const before = objectOf(await app.call('GET', '/status/intervals'));
      const answer = await tell(...rounds());
      expect([answer.status, answer.code]).to.deep.equal([422, 'round-invalid']);
      expect(objectOf(await app.call('GET', '/status/intervals'))).to.deep.equal(before);
    });
  }

  it('writes nothing of a request with one wrong round', async () => {
    const answer = await tell(round(-30_000, 0), round(0, 5002));
    expect(objectsOf(objectOf(answer)['errors']).map(({ pointer }) => pointer)).to.deep.equal(['/rounds/1']);
    expect(objectOf(await tell())['last']).to.equal(null);
  });

  it('takes a repeat without a change', async () => {
    const rounds = [round(-60_000, -30_000), round(-30_000, 0, 'partial_outage')];
    await tell(...rounds);
    const before = objectOf(await app.call('GET', '/status/intervals'));
    expect(objectOf(await tell(...rounds))).to.deep.equal({ accepted: 2, last: time(0) });
    expect(objectOf(await app.call('GET', '/status/intervals'))).to.deep.equal(before);
  });

  it('prolongs the last round, and pages through the stretches', async () => {
    await tell(round(-60_000, -50_000));
    await tell(round(-60_000, -30_000), round(-30_000, 0, 'partial_outage'));
    const first = objectOf(await app.call('GET', '/status/intervals?limit=1'));
    expect(first['items']).to.deep.equal([
      { service: 'ingestion', from: time(-60_000), to: time(-30_000), state: 'operational', announced: false },
    ]);
    const cursor = first['next_cursor'];
    if (typeof cursor !== 'string') throw new Error('no further page');
    const second = objectOf(await app.call('GET', `/status/intervals?limit=1&cursor=${cursor}`));
    expect(objectsOf(second['items'])[0]).to.deep.include({ state: 'partial_outage' });
    expect((await app.call('GET', '/status/intervals?cursor=bm8')).code).to.equal('invalid-parameter');
  });

  const malformed: readonly (readonly [pointer: string, body: () => unknown])[] = [
    ['/rounds', () => ({ prober: 'p', rounds: 1 })],
    ['/prober', () => ({ prober: '', rounds: [] })],
    ['/rounds/0/at', () => ({ prober: 'p', rounds: [{ ...round(-30, 0), at: '2026-02-30T00:00:00.000Z' }] })],
    ['/rounds/0/services', () => ({ prober: 'p', rounds: [{ ...round(-30, 0), services: {} }] })],
    ['/rounds/0/services', () => ({ prober: 'p', rounds: [{ ...round(-30, 0), services: { policy: {} } }] })],
    [
      '/rounds/0/services/runtime/state',
      () => ({ prober: 'p', rounds: [{ ...round(-30, 0), services: { runtime: { state: 'fine' } } }] }),
    ],
    [
      '/rounds/0/services/runtime/checks/0',
      () => ({
        prober: 'p',
        rounds: [{ ...round(-30, 0), services: { runtime: { state: 'unknown', checks: [{ id: 'A', ok: true }] } } }],
      }),
    ],
    ['/rounds', () => ({ prober: 'p', rounds: Array.from({ length: 121 }, () => round(-30, 0)) })],
  ];
  for (const [pointer, body] of malformed) {
    it(`points at ${pointer} of a malformed body`, async () => {
      const answer = await post('/status/rounds', body());
      const { errors } = objectOf(answer);
      const pointers = Array.isArray(errors)
        ? errors.map((error) => (isJsonObject(error) ? error['pointer'] : ''))
        : [];
      expect([answer.code, pointers]).to.deep.include('invalid-parameter');
      expect(pointers).to.include(pointer);
    });
  }

  it('refuses a body of more than 64 KiB', async () => {
    const answer = await post('/status/rounds', { prober: 'p'.repeat(70_000), rounds: [] });
    expect([answer.status, answer.code]).to.deep.equal([413, 'body-too-large']);
  });

  describe('maintenance', () => {
    it('excludes an outage within a window that was announced 24 hours ahead, and shows it as maintenance', async () => {
      const planned = objectOf(await plan(24 * HOUR, 25 * HOUR));
      expect(planned).to.deep.include({ title: 'New disks', announced_at: time(0), cancelled_at: null });
      await fixture.clock.advance(24 * HOUR + 60_000);
      await tell(round(-90_000, -60_000), round(-60_000, 0, 'major_outage'));
      const body = objectOf(await page());
      expect(body['services']).to.deep.include({ runtime: 'under_maintenance', ingestion: 'major_outage' });
      expect(isJsonObject(body['uptime']) && body['uptime']['per_service']).to.deep.include({
        runtime: 100,
        reputation_ledger: 33.333,
      });
      expect(objectsOf(body['maintenance']).map(({ id }) => id)).to.deep.equal([planned['id']]);
    });

    it('counts an outage within a window that was announced later', async () => {
      await plan(24 * HOUR - 1, 25 * HOUR);
      await fixture.clock.advance(24 * HOUR + 60_000);
      await tell(round(-60_000, 0, 'major_outage'));
      const body = objectOf(await page());
      expect([body['uptime_30d_pct'], objectOf({ value: body['services'] })['runtime']]).to.deep.equal([
        0,
        'under_maintenance',
      ]);
    });

    const invalid: readonly (readonly [why: string, from: number, to: number])[] = [
      ['in the past', -6000, HOUR],
      ['that ends before it begins', HOUR, HOUR - 1],
      ['of more than seven days', HOUR, 169 * HOUR + 1],
    ];
    for (const [why, from, to] of invalid) {
      it(`refuses a window ${why} with 422`, async () => {
        const answer = await plan(from, to);
        expect([answer.status, answer.code]).to.deep.equal([422, 'maintenance-invalid']);
      });
    }

    it('cancels what has not begun, once, and knows no other', async () => {
      const { id } = objectOf(await plan(24 * HOUR, 25 * HOUR));
      expect(objectOf(await cancel(id))['cancelled_at']).to.equal(time(0));
      expect((await cancel(id)).code).to.equal('maintenance-state');
      expect((await cancel('mnt_019aa000-0000-7000-8000-000000000001')).code).to.equal('maintenance-not-found');
      const listed = objectOf(await app.call('GET', '/status/maintenance', { key: null }));
      expect(objectsOf(listed['items']).map(({ id: listedId }) => listedId)).to.deep.equal([id]);
    });
  });

  it('stays below 16 KiB with many incidents and windows of long titles', async () => {
    for (let index = 1; index <= 25; index += 1) {
      const body = {
        services: SERVICES,
        from: time(index * HOUR),
        to: time((index + 1) * HOUR),
        title: '𝕏'.repeat(100),
      };
      expect((await post('/status/maintenance', body)).status).to.equal(201);
    }
    await tell(round(-60_000, -30_000, 'major_outage'), round(-30_000, 0, 'major_outage'));
    const answer = await page();
    expect(answer.body.length).to.be.at.most(16_384);
    expect(objectsOf(objectOf(answer)['incidents'])).to.have.lengthOf(4);
  });
});
