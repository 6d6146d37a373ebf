import { expect } from 'chai';
import { readIncident } from '../../../../../core/ingestion/incidents/read-incident.ts';
import { listAt } from '../../../../../core/json/members.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';
import { jsonOf } from '../../../../support/suites.ts';
import { sampleBody } from '../../../core/ingestion/samples.ts';

const ORB = 'acme.mailer@1.2.0';
const MINUTE = 60_000;
const FORM: [string, string][] = [['content-type', 'application/x-www-form-urlencoded']];

const alert = (form: Record<string, unknown> = {}, labels: Record<string, string> = {}): string =>
  JSON.stringify({
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'Errors', severity: 'critical', orb_id: ORB, ...labels },
        annotations: { summary: 'errors' },
        startsAt: '2026-11-20T10:00:00Z',
        fingerprint: 'f1',
        ...form,
      },
    ],
  });

const fires = (orb: string, form: Record<string, unknown> = {}) =>
  alert({ fingerprint: orb, ...form }, { orb_id: orb });

/** The default variables of UptimeRobot. */
const told = (alertType: string): string =>
  JSON.stringify({ monitorID: '777', monitorFriendlyName: ORB, alertType, alertDateTime: '1795168800' });

describe('mapping of accepted deliveries', () => {
  let rig: IngestRig;
  beforeEach(async () => {
    rig = await anIngestRig();
    rig.addOrb(ORB);
    rig.addSource('acme/am', { type: 'alertmanager' });
  });
  afterEach(() => rig.dispose());

  /** The firing sample of a vendor, and what ends it. */
  const SAMPLES: readonly [type: string, end: (body: string) => string, spec?: object][] = [
    ['alertmanager', (body) => body.replaceAll('"status":"firing"', '"status":"resolved"')],
    [
      'pagerduty',
      (body) => body.replace('incident.triggered', 'incident.resolved'),
      { match: [{ when: 'labels.service == "Mailer"', orb: 'acme.mailer@*' }] },
    ],
    // The end of Sentry names no Orb: it closes what its fingerprint opened.
    [
      'sentry',
      () => JSON.stringify({ action: 'resolved', data: { issue: { id: '1170820242', title: 'TimeoutError' } } }),
    ],
    ['standardWebhooks', (body) => body.replace('"firing"', '"resolved"')],
    ['datadog', (body) => body.replace('"Triggered"', '"Recovered"')],
    ['newrelic', (body) => body.replace('"ACTIVATED"', '"CLOSED"')],
    ['statuscake', (body) => body.replace('Status=Down', 'Status=Up')],
    ['pingdom', (body) => body.replace('"current_state":"DOWN"', '"current_state":"UP"')],
  ];
  for (const [type, end, spec] of SAMPLES)
    it(`makes one incident of the sample of ${type} and its end`, async () => {
      const source = `acme/${type.toLowerCase()}`;
      rig.addSource(source, { type, ...spec });
      const headers = type === 'statuscake' ? FORM : undefined;
      await rig.deliver(source, sampleBody(type), headers);
      await rig.map();
      const [open] = await rig.incidents();
      expect(open).to.include({ orbId: ORB, endedAt: null });
      await rig.pass(MINUTE);
      await rig.deliver(source, end(sampleBody(type)), headers);
      await rig.map();
      await rig.pass(3 * MINUTE);
      const [ended, ...more] = await rig.incidents();
      expect(more).to.deep.equal([]);
      expect(ended).to.include({ incidentId: open?.incidentId, status: 'resolved' });
      expect(rig.deaths).to.deep.equal([]);
    });

  it('keeps signals of Segment, and opens nothing', async () => {
    rig.addSource('acme/segment', { type: 'segment' });
    await rig.deliver('acme/segment', sampleBody('segment'));
    await rig.map();
    expect((await rig.signals()).map(({ status, orbId }) => [status, orbId])).to.deep.equal([['info', ORB]]);
    expect(await rig.incidents()).to.deep.equal([]);
  });

  it('opens an incident of a form of type custom, as Slack sends it', async () => {
    rig.addSource('acme/slack', {
      type: 'custom',
      auth: { scheme: 'bearer', secretRefs: [{ name: 'hook', key: 'token' }] },
      mapping: {
        parser: 'form',
        fields: {
          status: 'payload.command == "/down" ? "firing" : "resolved"',
          title: 'payload.command + " " + payload.text',
          fingerprint: 'payload.channel_id',
          names: 'payload.text',
        },
      },
    });
    await rig.deliver('acme/slack', `Command=%2Fdown&text=${encodeURIComponent(ORB)}&channel_id=C1`, FORM);
    await rig.map();
    const [incident] = await rig.incidents();
    expect(incident).to.include({ orbId: ORB, endedAt: null });
    expect(readIncident(incident?.json ?? '').title).to.equal(`/down ${ORB}`);
  });

  it('closes what the default variables of UptimeRobot opened', async () => {
    rig.addSource('acme/robot', { type: 'uptimerobot' });
    await rig.deliver('acme/robot', told('1'));
    await rig.map();
    expect((await rig.incidents()).map(({ endedAt }) => endedAt)).to.deep.equal([null]);
    await rig.deliver('acme/robot', told('2'));
    await rig.map();
    await rig.pass(3 * MINUTE);
    expect((await rig.incidents()).map(({ status }) => status)).to.deep.equal(['resolved']);
  });

  it('stores the envelope with the host of the provider', async () => {
    const deliveryId = await rig.deliver('acme/am', alert());
    await rig.map();
    const [signal] = await rig.signals();
    expect(signal).to.include({ deliveryId, provider: 'api.sendgrid.com', repeatCount: 0 });
    const envelope: unknown = JSON.parse(signal?.json ?? '');
    expect(envelope).to.include({ orbtenant: 'acme', subject: `orb/${ORB}`, id: signal?.signalId });
  });

  it('counts repeats of a signal', async () => {
    for (const _ of [1, 2, 3]) await rig.deliver('acme/am', alert());
    await rig.map();
    expect((await rig.signals()).map(({ repeatCount }) => repeatCount)).to.deep.equal([2]);
    expect((await rig.incidents()).length).to.equal(1);
  });

  it('only stores what a source that observes brings', async () => {
    rig.addSource('acme/am', { type: 'alertmanager', mode: 'Observe' });
    await rig.deliver('acme/am', alert());
    await rig.map();
    expect((await rig.signals()).length).to.equal(1);
    expect(await rig.incidents()).to.deep.equal([]);
  });

  const DEAD: readonly [why: string, body: string, reason: string, pointer: string][] = [
    ['text that is no JSON', '{', 'bad_json', ''],
    ['alerts that are no list', '{"alerts":1}', 'mapping_error', '/spec/mapping/items'],
    ['an Orb that nobody has', alert({}, { orb_id: 'acme.other@1.0.0' }), 'no_entity', '/spec/match'],
    ['no Orb', alert({ labels: { alertname: 'x' } }), 'no_entity', '/spec/match'],
  ];
  for (const [why, body, reason, pointer] of DEAD)
    it(`makes a dead letter of ${why}`, async () => {
      const deliveryId = await rig.deliver('acme/am', body);
      await rig.map();
      expect(await rig.ledger.deadLetter('acme', deliveryId)).to.include({ reason, pointer });
      expect(rig.deaths).to.deep.equal([reason]);
    });

  it('uses the good events of a delivery that has a bad one, once', async () => {
    const alerts = [alert({ fingerprint: 'f2' }, { orb_id: 'acme.late@1.0.0' }), alert()].flatMap((body) =>
      listAt(jsonOf(JSON.parse(body)), 'alerts'),
    );
    const deliveryId = await rig.deliver('acme/am', JSON.stringify({ alerts }));
    await rig.map();
    expect((await rig.incidents()).length).to.equal(1);
    rig.addOrb('acme.late@1.0.0');
    expect(await rig.ledger.redrive('acme', { deliveryId })).to.equal(1);
    await rig.map();
    expect((await rig.incidents()).map(({ orbId }) => orbId)).to.have.members(['acme.late@1.0.0', ORB]);
    expect(await rig.ledger.deadLetter('acme', deliveryId)).to.equal(undefined);
  });

  it('gives a delivery of a deleted source up at once, and maps it when a source of its name is back', async () => {
    const deliveryId = await rig.deliver('acme/gone', alert());
    await rig.deliver('acme/am', alert());
    for (const result of ['worked', 'empty']) expect(await rig.map()).to.equal(result);
    expect(await rig.ledger.deadLetter('acme', deliveryId)).to.include({ reason: 'downstream' });
    expect((await rig.incidents()).length).to.equal(1);
    rig.addSource('acme/gone', { type: 'alertmanager' });
    await rig.ledger.redrive('acme', { source: 'acme/gone', reason: 'downstream', max: 10 });
    expect(await rig.map()).to.equal('worked');
    expect((await rig.incidents())[0]?.json).to.include('acme/gone');
  });

  it('gives a delivery up after three failures, and maps those behind it', async () => {
    const deliveryId = await rig.deliver('bad/am', alert());
    await rig.deliver('acme/am', alert());
    rig.addSource('bad/am', { type: 'alertmanager' });
    const { orbs: real } = rig.desk;
    const orbs: typeof real = {
      size: 0,
      forget: () => undefined,
      learn: () => undefined,
      running: (namespace, name) => real.running(namespace, name),
      hostOf: (namespace, target, now) => real.hostOf(namespace, target, now),
      monitorOf: (namespace, target) => real.monitorOf(namespace, target),
      isKnown: (namespace, id) => {
        if (namespace === 'bad') throw new Error('a fault of ours');
        return real.isKnown(namespace, id);
      },
    };
    for (const result of ['worked', 'worked', 'worked', 'worked', 'empty'])
      expect(await rig.mapBy({ orbs })).to.equal(result);
    expect(await rig.ledger.deadLetter('bad', deliveryId)).to.include({
      reason: 'downstream',
      detail: 'a fault of ours',
    });
    expect((await rig.incidents()).length).to.equal(1);
    expect(rig.deaths).to.deep.equal(['downstream']);
  });

  it('reads again when somebody changed the incident meanwhile', async () => {
    await rig.deliver('acme/am', alert());
    await rig.map();
    const [incident] = await rig.incidents();
    if (incident === undefined) throw new Error('no incident');
    await rig.deliver('acme/am', alert({ startsAt: '2026-11-20T10:01:00Z' }));
    const { incidentsByGroup } = rig.ledger;
    let isFirst = true;
    const racing: typeof incidentsByGroup = async (...query) => {
      const rows = await incidentsByGroup(...query);
      if (isFirst) await rig.ledger.changeIncidents([{ ...incident, expectedRevision: 1, updates: [] }]);
      isFirst = false;
      return rows;
    };
    const ledger = { ...rig.ledger, incidentsByGroup: racing };
    expect(await rig.mapBy({ ledger })).to.equal('stale');
    expect(await rig.mapBy({ ledger })).to.equal('worked');
    expect((await rig.incidents())[0]?.revision).to.equal(3);
  });

  it('writes nothing with a lease that was lost', async () => {
    await rig.deliver('acme/am', alert());
    expect(await rig.mapWith({}, { name: 'ingest-worker', epoch: 99 })).to.equal('lost-lease');
    expect(await rig.signals()).to.deep.equal([]);
  });

  it('takes the version that the namespace runs, and refuses two', async () => {
    rig.addSource('acme/pd', {
      type: 'pagerduty',
      match: [{ when: 'labels.service == "Mailer"', orb: 'acme.mailer@*' }],
    });
    await rig.deliver('acme/pd', sampleBody('pagerduty'));
    await rig.map();
    expect((await rig.incidents())[0]?.orbId).to.equal(ORB);
    rig.addOrb('acme.mailer@1.3.0');
    await rig.deliver('acme/pd', sampleBody('pagerduty'));
    await rig.map();
    expect(rig.deaths).to.deep.equal(['ambiguous_entity']);
  });
});

describe('incidents of several sources and Orbs', () => {
  let rig: IngestRig;
  beforeEach(async () => {
    rig = await anIngestRig();
    for (const name of ['a', 'b', 'c']) rig.addOrb(`acme.${name}@1.0.0`);
    rig.addSource('acme/am', { type: 'alertmanager' });
  });
  afterEach(() => rig.dispose());

  it('gives three Orbs of one host an outage that ends with them', async () => {
    const names = ['acme.a@1.0.0', 'acme.b@1.0.0', 'acme.c@1.0.0'];
    for (const orb of names) await rig.deliver('acme/am', fires(orb));
    await rig.map();
    const open = await rig.incidents();
    const outage = open.find(({ orbId }) => orbId === null);
    expect(outage).to.include({ provider: 'api.sendgrid.com', status: 'open' });
    const parents = open.filter(({ orbId }) => orbId !== null).map(({ json }) => readIncident(json).parentId);
    expect(parents).to.deep.equal([outage?.incidentId, outage?.incidentId, outage?.incidentId]);
    const end = { status: 'resolved', endsAt: '2026-11-20T10:01:00Z' };
    await rig.pass(MINUTE);
    for (const orb of names) await rig.deliver('acme/am', fires(orb, end));
    await rig.map();
    await rig.pass(5 * MINUTE);
    expect((await rig.incidents()).map(({ status }) => status)).to.deep.equal(Array(4).fill('resolved'));
  });

  it('confirms what a source of low trust says by another source', async () => {
    rig.addSource('acme/page', {
      type: 'statuspage',
      match: [{ when: 'true', orb: 'acme.a@1.0.0' }],
    });
    const page = { incident: { id: 'x', name: 'down', status: 'investigating', impact: 'critical' } };
    await rig.deliver('acme/page', JSON.stringify(page));
    await rig.map();
    expect((await rig.incidents()).map(({ status }) => status)).to.deep.equal(['unconfirmed']);
    await rig.deliver('acme/am', fires('acme.a@1.0.0'));
    await rig.map();
    expect((await rig.incidents()).map(({ status }) => status)).to.deep.equal(['open', 'open']);
  });

  it('opens nothing for a publisher alone, and confirms it by no number of its own signals', async () => {
    rig.published.set('acme.a@1.0.0', {
      manifestDigest: 'sha256:1',
      namespace: 'acme',
      status: 'active',
      isCertified: true,
    });
    await rig.deliver('acme/am', fires('acme.a@1.0.0'));
    await rig.deliver('acme/am', fires('acme.a@1.0.0', { fingerprint: 'other' }));
    await rig.map();
    expect((await rig.incidents()).map(({ status }) => status)).to.deep.equal(['unconfirmed', 'unconfirmed']);
  });

  it('waits for `for`, and shows nothing until then', async () => {
    rig.addSource('acme/am', { type: 'alertmanager', effects: { for: '5m' } });
    await rig.deliver('acme/am', fires('acme.a@1.0.0'));
    await rig.map();
    expect(await rig.ledger.openIncidents('acme', 'acme.a@1.0.0')).to.deep.equal([]);
    await rig.pass(5 * MINUTE);
    expect((await rig.incidents()).map(({ status }) => status)).to.deep.equal(['open']);
  });
});
