import { expect } from 'chai';
import { sha256Hex } from '../../../../../adapters/keys/primitives.ts';
import { SharedTexts, signalEnvelope } from '../../../../../core/ingestion/mapping/envelope.ts';
import { expressionHeaders } from '../../../../../core/ingestion/mapping/kept-headers.ts';
import { compileMapping, mapPayload } from '../../../../../core/ingestion/mapping/map-payload.ts';
import { readPayload } from '../../../../../core/ingestion/mapping/read-payload.ts';
import type { EventDraft } from '../../../../../core/ingestion/mapping/signal.ts';
import type { VendorTemplate } from '../../../../../core/ingestion/vendors/template.ts';
import { VENDORS } from '../../../../../core/ingestion/vendors/vendors.ts';
import { encodeUtf8 } from '../../../../../core/json/bytes.ts';
import { isJsonObject } from '../../../../../core/json/json-value.ts';
import { SAMPLE_TIME, sampleBody } from '../samples.ts';

type Headers = Parameters<typeof expressionHeaders>[0];

function eventsOf(type: keyof typeof VENDORS, body: string, headers: Headers = []): readonly EventDraft[] {
  const { parser, mapping }: VendorTemplate = VENDORS[type];
  const compiled = compileMapping(mapping);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.findings));
  const read = readPayload(encodeUtf8(body), parser);
  if (!read.ok) throw new Error(read.deadLetter.reason);
  const input = { payload: read.payload, headers: expressionHeaders(headers), bodyDigest: sha256Hex(body) };
  const result = mapPayload(compiled.mapping, { ...input, digest: sha256Hex, most: 500 });
  if (!result.ok) throw new Error(result.deadLetter.reason);
  return result.events;
}

const ORB = 'acme.mailer@1.2.0';
const DATA = { status: 'firing', severity: 'high', title: 'p95', key: 'mailer-p95', orb_id: ORB };
const CLOUD_EVENT = { specversion: '1.0', id: '1', source: '/m', type: 'x', time: '2026-11-20T10:00:00Z' };
const LEGACY = {
  current_state: 'open',
  incident_id: 42,
  condition_name: 'mailer errors',
  severity: 'CRITICAL',
  targets: [{ name: ORB }],
  timestamp: SAMPLE_TIME,
};
const METRIC_ALERT = {
  action: 'critical',
  data: { metric_alert: { id: '7', title: 'p95', date_detected: '2026-11-20T10:00:00Z' } },
};
const COHORT = {
  orb_template: 'amplitude/1',
  cohort_name: 'Trial users',
  in_cohort: true,
  computed_time: '1795168800',
};

describe('forms of vendors', () => {
  const ROWS: readonly [
    why: string,
    type: keyof typeof VENDORS,
    body: object | string,
    expected: object,
    headers?: Headers,
  ][] = [
    [
      "New Relic's legacy payload",
      'newrelic',
      LEGACY,
      { status: 'firing', severity: 'critical', title: 'mailer errors', fingerprint: '42', occurredAt: SAMPLE_TIME },
    ],
    [
      "the end in New Relic's legacy payload",
      'newrelic',
      { ...LEGACY, current_state: 'closed' },
      { status: 'resolved' },
    ],
    [
      'a metric alert of Sentry',
      'sentry',
      METRIC_ALERT,
      { status: 'firing', severity: 'critical', title: 'p95', fingerprint: 'metric_alert:7', occurredAt: SAMPLE_TIME },
    ],
    [
      'the default variables of UptimeRobot, as a GET brings them',
      'uptimerobot',
      {
        monitorID: '777',
        monitorURL: 'https://api.sendgrid.example/health',
        monitorFriendlyName: ORB,
        alertType: '1',
        alertTypeFriendlyName: 'Down',
        alertDetails: 'Connection Timeout',
        alertDuration: '60',
        alertDateTime: '1795168800',
        monitorAlertContacts: '457;2;ops@acme.example',
      },
      {
        status: 'firing',
        severity: 'high',
        title: ORB,
        description: 'Connection Timeout',
        fingerprint: '777',
        occurredAt: SAMPLE_TIME,
      },
    ],
    [
      "the end in UptimeRobot's default variables",
      'uptimerobot',
      { monitorID: '777', monitorFriendlyName: 'mailer', alertType: '2' },
      { status: 'resolved', fingerprint: '777' },
    ],
    [
      'a batch of Amplitude',
      'amplitude',
      COHORT,
      {
        kind: 'analytics',
        title: 'Trial users',
        occurredAt: SAMPLE_TIME,
        fingerprint: sha256Hex(JSON.stringify(COHORT)),
      },
    ],
    [
      'StatusCake without an id of the test',
      'statuscake',
      'Status=Down&Name=mailer&URL=https%3A%2F%2Fa.example&StatusCode=503',
      { fingerprint: sha256Hex('mailer\nhttps://a.example') },
    ],
    [
      'a structured CloudEvent',
      'cloudevents',
      { ...CLOUD_EVENT, data: DATA },
      { status: 'firing', severity: 'high', title: 'p95', fingerprint: 'mailer-p95', occurredAt: SAMPLE_TIME },
    ],
    [
      'a binary CloudEvent',
      'cloudevents',
      { status: 'firing', orb_id: ORB },
      { status: 'firing', title: 'x', fingerprint: 'mailer', occurredAt: SAMPLE_TIME },
      [
        ['CE-Type', 'x'],
        ['ce-subject', 'mailer'],
        ['ce-time', '2026-11-20T10:00:00Z'],
      ],
    ],
  ];
  for (const [why, type, body, expected, headers] of ROWS)
    it(`maps ${why}`, () => {
      const events = eventsOf(type, typeof body === 'string' ? body : JSON.stringify(body), headers);
      expect(events.length).to.equal(1);
      expect(events[0]).to.include(expected);
    });

  it('maps each event of a batch of CloudEvents', () => {
    const batch = ['a', 'b'].map((key) => ({ ...CLOUD_EVENT, data: { ...DATA, key } }));
    expect(eventsOf('cloudevents', JSON.stringify(batch)).map(({ fingerprint }) => fingerprint)).to.deep.equal([
      'a',
      'b',
    ]);
  });

  it('refuses another template of New Relic', () => {
    expect(() => eventsOf('newrelic', JSON.stringify({ ...LEGACY, orb_template: 'newrelic/9' }))).to.throw('schema');
  });

  it('takes the measurement of Grafana and StatusCake', () => {
    expect(eventsOf('grafana', sampleBody('grafana'))[0]?.metric).to.include({ name: 'A', value: '612.4' });
    expect(eventsOf('statuscake', sampleBody('statuscake'))[0]?.metric).to.include({
      name: 'status_code',
      value: '503',
    });
  });

  it('shows expressions no credential', () => {
    const headers: Headers = [
      ['Authorization', 'Bearer secret'],
      ['X-Signature', 'secret'],
      ['Webhook-Id', 'first'],
      ['webhook-id', 'second'],
    ];
    expect(expressionHeaders(headers)).to.deep.equal({ 'webhook-id': 'first' });
  });
});

describe('the envelope of a signal', () => {
  const [event] = eventsOf('alertmanager', sampleBody('alertmanager'));
  if (event === undefined) throw new Error('the sample has no event');
  const envelope = (form: Partial<EventDraft> = {}) =>
    signalEnvelope(
      {
        signalId: 'sig_1',
        event: { ...event, ...form },
        entity: { orbId: ORB, provider: 'api.sendgrid.com', service: null },
        source: { namespace: 'acme', name: 'am', type: 'alertmanager', trust: 'shared_secret' },
        semanticKey: 'sha256:00',
        receivedAt: SAMPLE_TIME + 1120,
        raw: { deliveryId: 'dlv_1', sha256: 'ab', bytes: 727 },
        eventId: null,
      },
      new SharedTexts(),
    );

  it('is a CloudEvent that names the raw body', () => {
    const { data, ...attributes } = envelope();
    expect(attributes).to.deep.equal({
      specversion: '1.0',
      id: 'sig_1',
      source: 'orb:source/acme/am',
      type: 'dev.orbs.signal.alert.firing',
      subject: `orb/${ORB}`,
      time: '2026-11-20T10:00:00.000Z',
      datacontenttype: 'application/json',
      orbtenant: 'acme',
      orbtrust: 'shared_secret',
      orbdedup: 'sha256:00',
    });
    expect(data).to.deep.include({
      severity: 'critical',
      entity: { orb_id: ORB, provider: 'api.sendgrid.com', endpoint: null },
      observedAt: '2026-11-20T10:00:01.120Z',
      links: {
        self: 'https://prom.acme.example/graph?g0.expr=x',
        runbook: 'https://runbooks.acme.example/mailer',
        dashboard: null,
      },
      vendor: { type: 'alertmanager', eventId: null, raw: { sha256: 'ab', bytes: 727, ref: 'dlv_1' } },
    });
  });

  for (const link of ['http://a.example/', 'javascript:alert(1)', 'https://user:pass@a.example/', 'https://'])
    it(`shows no link ${link}`, () => {
      const { data } = envelope({ link });
      expect(isJsonObject(data) && isJsonObject(data['links']) && data['links']['self']).to.equal(null);
    });
});
