import { expect } from 'chai';
import { deadLetterRoutes } from '../../../../../api-server/services/ingestion/dead-letter-routes.ts';
import { dryRunRoute } from '../../../../../api-server/services/ingestion/dry-run-route.ts';
import { incidentActRoutes } from '../../../../../api-server/services/ingestion/incident-acts.ts';
import { incidentRoutes } from '../../../../../api-server/services/ingestion/incident-routes.ts';
import { signalRoutes } from '../../../../../api-server/services/ingestion/signal-routes.ts';
import { sourceRoutes } from '../../../../../api-server/services/ingestion/source-routes.ts';
import { templateRoute } from '../../../../../api-server/services/ingestion/template-route.ts';
import type { Scope } from '../../../../../core/api-key/scopes.ts';
import type { JsonValue } from '../../../../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../../../../core/json/members.ts';
import { aCaller, startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { aSignalSource } from '../../../../support/a-signal-source.ts';
import { textAt } from '../../../../support/members.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';
import { anIncident, storeIncident } from '../../../../support/stored-ingestion.ts';
import { jsonOf } from '../../../../support/suites.ts';
import { sampleBody } from '../../../core/ingestion/samples.ts';

const ORB = 'acme.mailer@1.2.0';
const SCOPES: readonly Scope[] = ['ingest:read', 'ingest:admin', 'incidents:write'];
const MINUTE = 60_000;

describe('routes of what came of deliveries', () => {
  let rig: IngestRig;
  let app: TestApp;
  let woken: number;

  beforeEach(async () => {
    rig = await anIngestRig();
    woken = 0;
    rig.addOrb(ORB);
    rig.addSource('acme/am', { type: 'alertmanager' });
    rig.addSource('acme/other', { type: 'grafana', mode: 'Observe' });
    const { ledger, clock, sources, orbs } = rig;
    const logger = { info: () => undefined };
    const queue = { wake: () => void (woken += 1) };
    const routes = [
      ...sourceRoutes({ sources, ledger }),
      dryRunRoute({ sources, orbs, clock }),
      ...signalRoutes({ ledger }),
      ...incidentRoutes({ ledger }),
      ...incidentActRoutes({ ledger, clock, logger }),
      ...deadLetterRoutes({ ledger, queue, logger }),
      templateRoute(),
    ];
    app = await startApp(routes, { caller: aCaller({ scopes: new Set(SCOPES) }), clock });
  });
  afterEach(async () => {
    await app.close();
    await rig.dispose();
  });

  const get = (path: string): Promise<Called> => app.call('GET', path);
  const post = (path: string, body?: unknown): Promise<Called> =>
    app.call(
      'POST',
      path,
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    );
  const fires = async (): Promise<string> => {
    const id = await rig.deliver('acme/am', sampleBody('alertmanager'));
    await rig.map();
    return id;
  };
  const only = async (path: string): Promise<JsonValue> => {
    const items = listAt((await get(path)).value, 'items');
    expect(items.length, path).to.equal(1);
    return jsonOf(items[0]);
  };

  it('show the sources without their secrets', async () => {
    await fires();
    const { value } = await get('/signal-sources?limit=1');
    const [source] = listAt(value, 'items');
    expect(source).to.include({ name: 'am', type: 'alertmanager', trust: 'shared_secret', secrets_readable: true });
    expect(member(source, 'counts')).to.deep.equal({ accepted: 1, waiting: 0, dead_letters: 0 });
    expect(JSON.stringify(value)).not.to.include('hook');
    const next = await get(`/signal-sources?cursor=${textAt(jsonOf(value), 'next_cursor')}`);
    expect(listAt(next.value, 'items').map((item) => member(item, 'name'))).to.deep.equal(['other']);
    expect(await get('/signal-sources/acme/none')).to.include({ status: 404, code: 'source-not-found' });
  });

  it('list and show signals', async () => {
    const id = await fires();
    for (const query of ['', `?orb_id=${encodeURIComponent(ORB)}`, `?delivery_id=${id}`])
      expect(await only(`/signals${query}`)).to.include({ source: 'acme/am', delivery_id: id });
    const signal = await only('/signals?status=firing&source=acme/am');
    const shown = await get(`/signals/${textAt(signal, 'signal_id')}`);
    expect(shown.value).to.deep.equal(signal);
    expect(listAt((await get('/signals?status=resolved')).value, 'items')).to.deep.equal([]);
    expect(await get('/signals/sig_none')).to.include({ status: 404, code: 'signal-not-found' });
  });

  it('list and show incidents, without those that wait to open', async () => {
    await fires();
    await storeIncident(rig.ledger, anIncident({ status: 'pending', groupKey: 'waits' }));
    const listed = await only('/incidents?status=open');
    expect(listed).to.include({ orb_id: ORB, provider: 'api.sendgrid.com', severity: 'critical', confirmed: true });
    expect(member(listed, 'sources')).to.deep.equal(['acme/am']);
    expect(await only('/incidents')).to.deep.equal(listed);
    const { value } = await get(`/incidents/${textAt(listed, 'incident_id')}`);
    expect(listAt(value, 'updates').map((line) => member(line, 'text'))).to.deep.equal(['opened']);
    expect(await get(`/incidents/${anIncident().incidentId}`)).to.include({ status: 404, code: 'incident-not-found' });
  });

  it('do what people say, and keep it against later signals', async () => {
    await fires();
    const path = `/incidents/${textAt(await only('/incidents'), 'incident_id')}`;
    expect((await post(`${path}/ack`)).value).to.include({ status: 'acknowledged' });
    expect((await post(`${path}/updates`, { body: 'rolled back' })).status).to.equal(200);
    expect((await post(`${path}/mute`, { until: '2026-11-20T11:00:00Z' })).value).to.include({
      muted_until: '2026-11-20T11:00:00.000Z',
    });
    await rig.pass(MINUTE);
    expect((await post(`${path}/resolve`)).value).to.include({ status: 'resolved' });
    await fires();
    expect(await only('/incidents')).to.include({ status: 'resolved' });
    expect(await post(`${path}/ack`)).to.include({ status: 409, code: 'incident-state' });
    const { value } = await post(`${path}/withdraw`, { reason: 'a drill' });
    expect(value).to.include({ status: 'withdrawn', attributed: false });
    expect(listAt(value, 'updates').map((line) => member(line, 'text'))).to.deep.equal([
      'opened',
      'acknowledged',
      'rolled back',
      'muted until 2026-11-20T11:00:00.000Z',
      'resolved',
      'withdrawn: a drill',
    ]);
  });

  const BAD: readonly [verb: string, body: unknown][] = [
    ['mute', { until: 'tomorrow' }],
    ['mute', { until: '2026-11-20T09:59:59Z' }],
    ['mute', { until: '2027-11-20T09:59:59Z' }],
    ['withdraw', {}],
    ['updates', { body: ' ' }],
    ['updates', {}],
  ];
  for (const [verb, body] of BAD)
    it(`refuse ${verb} with ${JSON.stringify(body)}`, async () => {
      await fires();
      const path = `/incidents/${textAt(await only('/incidents'), 'incident_id')}`;
      expect(await post(`${path}/${verb}`, body)).to.include({ status: 400, code: 'invalid-parameter' });
    });

  it('refuse an act with an unknown member as every other route does', async () => {
    await fires();
    const path = `/incidents/${textAt(await only('/incidents'), 'incident_id')}`;
    const answer = await post(`${path}/updates`, { text: 'x' });
    expect(answer).to.include({ status: 422, code: 'unknown-member' });
  });

  it('show dead letters with what came, and map them again', async () => {
    const id = await rig.deliver('acme/am', '{"alerts":1}');
    await rig.map();
    expect(await only('/dead-letters?reason=mapping_error&source=acme/am')).to.include({
      delivery_id: id,
      has_body: true,
    });
    const { value } = await get(`/dead-letters/${id}`);
    expect(value).to.include({ body: '{"alerts":1}', pointer: '/spec/mapping/items' });
    expect((await post(`/dead-letters/${id}/redrive`)).value).to.deep.equal({ redriven: 1 });
    expect(woken).to.equal(1);
    expect(await get(`/dead-letters/${id}`)).to.include({ status: 404, code: 'dead-letter-not-found' });
    await rig.map();
    const many = await post('/dead-letters/redrive', { source: 'acme/am', reason: 'mapping_error', max: 5 });
    expect(many.value).to.deep.equal({ redriven: 1 });
    const wrong = await post('/dead-letters/redrive', { source: 'acme/am', max: 0 });
    expect(wrong).to.include({ status: 400, code: 'invalid-parameter' });
  });

  it('say that a dead letter whose body was erased can not be mapped again', async () => {
    const id = await rig.deliver('acme/am', '{"alerts":1}');
    await rig.map();
    const none = { rawBefore: 0, signalsBefore: 0 };
    const bounds = { deadBefore: 0, bytesPerSource: 1, bytesInAll: 1, limit: 10 };
    expect(await rig.ledger.eraseIngestion({ sources: new Map(), others: none, ...bounds })).to.be.above(0);
    expect((await get(`/dead-letters/${id}`)).value).to.include({ body: null, has_body: false });
    expect(await post(`/dead-letters/${id}/redrive`)).to.include({ status: 409, code: 'dead-letter-erased' });
  });

  it('try a sample without any effect', async () => {
    const body = sampleBody('alertmanager');
    const { value } = await post('/signal-sources/acme/am/dry-run', { body, verify: true });
    expect(member(listAt(value, 'events')[0], 'fingerprint')).to.equal('c1f2a3b4d5e6f708');
    expect(listAt(value, 'matched')[0]).to.include({ orb: ORB });
    expect(listAt(value, 'effects')).to.deep.equal([
      { incident: 'would_open', severity: 'critical' },
      { reputation: 'none', why: 'trust is shared_secret' },
    ]);
    expect(member(listAt(value, 'warnings')[0], 'code')).to.equal('not-verified');
    expect(member(value, 'dead_letter')).to.equal(null);
    const broken = await post('/signal-sources/acme/am/dry-run', { body: '{' });
    expect(member(member(broken.value, 'dead_letter'), 'reason')).to.equal('bad_json');
    expect([await rig.signals(), await rig.incidents()]).to.deep.equal([[], []]);
  });

  for (const [vendor, type] of [
    ['datadog', 'datadog'],
    ['github', 'custom'],
  ])
    it(`give the template of ${vendor}`, async () => {
      expect((await get(`/signal-templates/${vendor}`)).value).to.include({ vendor, type });
    });

  for (const vendor of ['github', 'slack', 'stripe', 'sendgrid'])
    it(`give a block of ${vendor} that is a source of type custom, with a Secret`, async () => {
      const { value } = await get(`/signal-templates/${vendor}`);
      const auth = { ...objectAt(value, 'auth'), secretRefs: [{ name: vendor, key: 'secret' }] };
      const source = aSignalSource('acme/pasted', { type: 'custom', auth, mapping: member(value, 'mapping') });
      expect(source.scheme.kind).to.equal(member(value, 'scheme'));
    });

  it('have no template of another name', async () => {
    expect(await get('/signal-templates/constructor')).to.include({ status: 404, code: 'template-not-found' });
  });
});
