import { expect } from 'chai';
import fc from 'fast-check';
import { sha256Hex } from '../../../../../adapters/keys/primitives.ts';
import { compileMapping, mapPayload, type MapResult } from '../../../../../core/ingestion/mapping/map-payload.ts';
import { readPayload } from '../../../../../core/ingestion/mapping/read-payload.ts';
import { timeOf } from '../../../../../core/ingestion/mapping/normalise.ts';
import type { Mapping, VendorTemplate } from '../../../../../core/ingestion/vendors/template.ts';
import { CUSTOM_BLOCKS, VENDORS } from '../../../../../core/ingestion/vendors/vendors.ts';
import { encodeUtf8 } from '../../../../../core/json/bytes.ts';
import { SAMPLE_TIME, sampleBody } from '../samples.ts';

function mapBody({ parser, mapping }: Pick<VendorTemplate, 'parser' | 'mapping'>, body: string, most = 500): MapResult {
  const compiled = compileMapping(mapping);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.findings));
  const read = readPayload(encodeUtf8(body), parser);
  if (!read.ok) return read;
  return mapPayload(compiled.mapping, {
    payload: read.payload,
    headers: {},
    bodyDigest: sha256Hex(body),
    digest: sha256Hex,
    most,
  });
}

const ORB = 'acme.mailer@1.2.0';
const EXPECTED: readonly [
  type: keyof typeof VENDORS,
  kind: string,
  status: string,
  severity: string,
  fingerprint: string,
][] = [
  ['alertmanager', 'alert', 'firing', 'critical', 'c1f2a3b4d5e6f708'],
  ['grafana', 'alert', 'resolved', 'high', '57c6d9296de2ad39'],
  ['pagerduty', 'incident', 'firing', 'critical', 'mailer-errors'],
  ['sentry', 'error', 'firing', 'high', 'issue:1170820242'],
  ['segment', 'analytics', 'info', 'info', 'ajs-next-1795168800-7f3c'],
  ['standardWebhooks', 'alert', 'firing', 'high', 'mailer-p95'],
  ['datadog', 'alert', 'firing', 'high', '1234/9bd4ac313a4d1e8fae2482df7b77628'],
  ['newrelic', 'alert', 'firing', 'critical', '0ea2df1c-9c4b-4f5a-8e7d-2b1a6c3d4e5f'],
  ['statuscake', 'uptime', 'firing', 'high', '6891'],
  ['pingdom', 'uptime', 'firing', 'high', '12345'],
];

const ONE: Mapping = {
  kind: 'alert',
  statuses: { firing: { status: 'firing' } },
  severities: {},
  otherSeverity: 'warning',
  fields: { status: ['payload.status'], title: ['payload.title'] },
};
const custom = (mapping: Partial<Mapping>) => ({ parser: 'json', mapping: { ...ONE, ...mapping } }) as const;

describe('mapping of payloads', () => {
  for (const [type, kind, status, severity, fingerprint] of EXPECTED)
    it(`maps the sample of ${type}`, () => {
      const result = mapBody(VENDORS[type], sampleBody(type));
      const [event, ...more] = result.ok ? result.events : [];
      expect(event).to.include({ kind, status, severity, fingerprint });
      expect(more).to.deep.equal([]);
      const found = [event?.labels['orb_id'], ...(event?.names ?? [])];
      if (type === 'pagerduty') expect(event?.labels).to.deep.equal({ service: 'Mailer' });
      else expect(found).to.include(ORB);
    });

  it('takes the times of Grafana, and none for year 1', () => {
    const grafana = mapBody(VENDORS.grafana, sampleBody('grafana'));
    expect(grafana.ok && grafana.events[0]).to.include({ startsAt: SAMPLE_TIME, endsAt: SAMPLE_TIME + 720_000 });
    const alert = mapBody(VENDORS.alertmanager, sampleBody('alertmanager'));
    expect(alert.ok && alert.events[0]).to.include({ startsAt: SAMPLE_TIME, endsAt: null });
  });

  for (const [name, template] of [...Object.entries(VENDORS), ...Object.entries(CUSTOM_BLOCKS)])
    it(`compiles the mapping of ${name} within its bounds`, () => {
      const { mapping }: VendorTemplate = template;
      expect(compileMapping(mapping)).to.include({ ok: true });
    });

  const TIMES: readonly [why: string, value: string | number, expected: number | null][] = [
    ['RFC 3339 with a zone', '2026-11-20T11:00:00+01:00', SAMPLE_TIME],
    ['epoch seconds', 1_795_168_800, SAMPLE_TIME],
    ['epoch milliseconds in a text', '1795168800000', SAMPLE_TIME],
    ['year 1', '0001-01-01T00:00:00Z', null],
    ['a time without a zone', '2026-11-20T10:00:00', null],
    ['zero', 0, null],
  ];
  for (const [why, value, expected] of TIMES)
    it(`reads ${why} as ${expected}`, () => expect(timeOf(value)).to.equal(expected));

  const REFUSED: readonly [
    why: string,
    source: Pick<VendorTemplate, 'parser' | 'mapping'>,
    body: string,
    reason: string,
    pointer: string,
  ][] = [
    ['text that is no JSON', custom({}), '{', 'bad_json', ''],
    ['no body', custom({}), '', 'bad_json', ''],
    ['33 levels', custom({}), `${'['.repeat(34)}${']'.repeat(34)}`, 'limits', ''],
    ['a wrong escape in a form', VENDORS.statuscake, 'Status=%zz', 'schema', ''],
    ['another version of our template', VENDORS.datadog, '{"orb_template":"datadog/9"}', 'schema', '/orb_template'],
    ['items that are no list', custom({ items: 'payload.a' }), '{"a":1}', 'mapping_error', '/spec/mapping/items'],
    ['no status', custom({}), '{"title":"t"}', 'mapping_error', '/spec/mapping/fields/status'],
    [
      'an unknown status',
      custom({}),
      '{"title":"t","status":"constructor"}',
      'mapping_error',
      '/spec/mapping/fields/status',
    ],
    ['no title', custom({}), '{"status":"firing"}', 'mapping_error', '/spec/mapping/fields/title'],
  ];
  for (const [why, source, body, reason, pointer] of REFUSED)
    it(`gives ${reason} with a pointer for ${why}`, () => {
      expect(mapBody(source, body)).to.deep.equal({ ok: false, deadLetter: { reason, pointer } });
    });

  it('counts events beyond the limit', () => {
    const alerts = Array.from({ length: 7 }, () => ({ status: 'firing', labels: { alertname: 'a' } }));
    const result = mapBody(VENDORS.alertmanager, JSON.stringify({ alerts }), 5);
    expect(result).to.include({ ok: true, truncated: 2 });
    expect(result.ok && result.events.length).to.equal(5);
  });

  const BROKEN: readonly [why: string, source: string, code: string][] = [
    ['a syntax error', 'payload.', 'parse-error'],
    ['a name that is unknown', 'secret.title', 'unknown-fact'],
    ['a function that is unknown', 'payload.a.lowerAscii()', 'type-error'],
    ['a pattern that is no literal', 'payload.a.matches(payload.b)', 'regex-not-literal'],
    ['a loop in a loop', 'payload.a.exists(x, payload.b.exists(y, x.c == y.c))', 'too-expensive'],
    ['too long a text', `"${'a'.repeat(5000)}"`, 'too-large'],
  ];
  for (const [why, source, code] of BROKEN)
    it(`refuses a mapping with ${why}, with its place`, () => {
      const compiled = compileMapping({ ...ONE, fields: { ...ONE.fields, title: [source] } });
      const [finding] = compiled.ok ? [] : compiled.findings;
      expect(finding).to.include({ code, pointer: '/spec/mapping/fields/title', severity: 'error', line: 1 });
    });

  it('answers every JSON value for every vendor, and never throws', () => {
    const templates: readonly VendorTemplate[] = Object.values(VENDORS);
    fc.assert(
      fc.property(fc.constantFrom(...templates), fc.json({ maxDepth: 5 }), (template, body) => {
        expect(mapBody(template, body)).to.have.property('ok');
      }),
    );
  });
});
