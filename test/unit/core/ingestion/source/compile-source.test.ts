import { expect } from 'chai';
import type { OrbSignalSourceSpec } from '../../../../../crds/orbsignalsource.ts';
import { compileSource, type CompiledSource } from '../../../../../core/ingestion/source/compile-source.ts';
import { mapPayload } from '../../../../../core/ingestion/mapping/map-payload.ts';
import type { JsonValue } from '../../../../../core/json/json-value.ts';

const auth = { secretRefs: [{ name: 'hook', key: 'current' }] };

type Auth = Partial<OrbSignalSourceSpec['auth']>;
const spec = (type: OrbSignalSourceSpec['type'], more: Auth = {}, rest: object = {}): OrbSignalSourceSpec => ({
  type,
  auth: { ...auth, ...more },
  ...rest,
});
const FIELDS = { status: 'payload.state', title: 'payload.name' };
const custom = (more: Auth, rest: object = {}): OrbSignalSourceSpec =>
  spec('custom', { scheme: 'bearer', ...more }, { mapping: { fields: FIELDS }, ...rest });

function compiled(wanted: OrbSignalSourceSpec, isPlatform = false): CompiledSource {
  const result = compileSource(wanted, isPlatform);
  if (!result.ok) throw new Error(JSON.stringify(result.findings));
  return result.source;
}

/** `code pointer` of each finding. */
function refusals(wanted: OrbSignalSourceSpec, isPlatform = false): readonly string[] {
  const result = compileSource(wanted, isPlatform);
  return result.ok ? [] : result.findings.map(({ code, pointer }) => `${code} ${pointer}`);
}

/** Status, severity and title of each event. */
function events(wanted: OrbSignalSourceSpec, payload: JsonValue): readonly string[] {
  const { mapping, limits } = compiled(wanted);
  const result = mapPayload(mapping, {
    payload,
    headers: {},
    bodyDigest: 'digest',
    digest: (text) => text,
    most: limits.itemsPerPayload,
  });
  if (!result.ok) return [`${result.deadLetter.reason} ${result.deadLetter.pointer}`];
  return result.events.map(({ kind, status, severity, title }) => [kind, status, severity, title].join(' '));
}

describe('a compiled source', () => {
  const types: readonly (readonly [OrbSignalSourceSpec['type'], string, string, string])[] = [
    ['alertmanager', 'bearer', 'shared_secret', 'alerts[].fingerprint ?? sha256(body)'],
    ['grafana', 'hmac', 'signed', 'alerts[].fingerprint ?? sha256(body)'],
    ['pagerduty', 'hmac', 'signed', 'event.data.incident_key ?? event.data.id ?? sha256(body)'],
    ['datadog', 'header', 'shared_secret', 'payload.alert_id + "/" + payload.aggreg_key ?? sha256(body)'],
    ['mixpanel', 'basic', 'shared_secret', 'sha256(body)'],
    [
      'statuscake',
      'md5Token',
      'shared_secret',
      String.raw`testid ?? sha256(payload.name + "\n" + payload.url) ?? sha256(body)`,
    ],
    ['pingdom', 'urlToken', 'low', 'check_id ?? sha256(body)'],
    ['standardWebhooks', 'standardWebhooks', 'signed', 'data.key ?? headers["webhook-id"] ?? sha256(body)'],
  ];
  for (const [type, scheme, trust, rule] of types)
    it(`has the scheme, the trust and the fingerprint of ${type}`, () => {
      const source = compiled(spec(type));
      expect([source.scheme.kind, source.trust, source.fingerprintRule]).to.deep.equal([scheme, trust, rule]);
      expect(source.parser).to.equal(type === 'statuscake' ? 'form' : 'json');
    });

  it('has the defaults of the reference', () => {
    const { mode, pathEpoch, toleranceMs, allowCidrs, effects, limits, retention } = compiled(spec('grafana'));
    expect({ mode, pathEpoch, toleranceMs, allowCidrs }).to.deep.equal({
      mode: 'Observe',
      pathEpoch: 1,
      toleranceMs: 300_000,
      allowCidrs: [],
    });
    expect(effects).to.deep.equal({
      incident: true,
      reputation: true,
      minSeverity: 'warning',
      forMs: 0,
      quietMs: 120_000,
    });
    expect(limits).to.deep.equal({
      bodyBytes: 262_144,
      rps: 50,
      burst: 200,
      itemsPerPayload: 500,
      gzip: false,
      allowGet: false,
    });
    expect(retention).to.deep.equal({ rawMs: 168 * 3_600_000, signalsMs: 2160 * 3_600_000 });
  });

  const schemes: readonly (readonly [string, OrbSignalSourceSpec, object])[] = [
    [
      'of Grafana with a timestamp',
      spec('grafana', { timestampHeader: 'X-T' }),
      { signatureHeader: 'X-Grafana-Alerting-Signature', timestampHeader: 'X-T', signedContent: '{timestamp}:{body}' },
    ],
    ['of Grafana in another header', spec('grafana', { signatureHeader: 'X-S' }), { signatureHeader: 'X-S' }],
    [
      'of a vendor without one',
      spec('newrelic', { scheme: 'hmac', signatureHeader: 'X-S' }),
      { kind: 'hmac', algorithm: 'sha256', encoding: 'hex', signatureHeader: 'X-S', signedContent: '{body}' },
    ],
    ['of our templates', spec('datadog'), { kind: 'header', header: 'X-Orb-Token' }],
    ['of a token elsewhere', spec('datadog', { signatureHeader: 'X-Own' }), { kind: 'header', header: 'X-Own' }],
    [
      'of Slack',
      custom({
        scheme: 'hmac',
        signatureHeader: 'X-Slack-Signature',
        timestampHeader: 'X-Slack-Request-Timestamp',
        hmac: { prefix: 'v0=', signedContent: 'v0:{timestamp}:{body}' },
      }),
      { prefix: 'v0=', signedContent: 'v0:{timestamp}:{body}', timestampHeader: 'X-Slack-Request-Timestamp' },
    ],
    [
      'of Stripe',
      custom({
        scheme: 'hmac',
        signatureHeader: 'Stripe-Signature',
        hmac: { signedContent: '{timestamp}.{body}', pairs: { timestamp: 't', signature: 'v1' } },
      }),
      { signatureHeader: 'Stripe-Signature', pairs: { timestamp: 't', signature: 'v1' } },
    ],
    [
      'of SendGrid',
      custom({ scheme: 'ecdsa', signatureHeader: 'X-S', timestampHeader: 'X-T' }),
      { kind: 'ecdsa', signatureHeader: 'X-S', timestampHeader: 'X-T' },
    ],
  ];
  for (const [why, wanted, scheme] of schemes)
    it(`verifies by the form ${why}`, () => {
      expect(compiled(wanted).scheme).to.deep.include(scheme);
    });

  const refused: readonly (readonly [string, OrbSignalSourceSpec, readonly string[]])[] = [
    [
      'type custom without mapping and scheme',
      spec('custom'),
      ['source-scheme-missing /spec/auth/scheme', 'source-mapping-missing /spec/mapping'],
    ],
    [
      'type custom without a title',
      custom({}, { mapping: { fields: { status: 'payload.a' } } }),
      ['source-mapping-missing /spec/mapping/fields'],
    ],
    [
      'two secrets of one name and key',
      spec('grafana', { secretRefs: [...auth.secretRefs, { name: 'hook', key: 'old' }, ...auth.secretRefs] }),
      ['source-secret-twice /spec/auth/secretRefs/2'],
    ],
    [
      'blocks of addresses that are none',
      spec('grafana', { allowCIDRs: ['203.0.113.0/24', '203.0.113.1/24', '::1/129'] }),
      ['source-cidr /spec/auth/allowCIDRs/1', 'source-cidr /spec/auth/allowCIDRs/2'],
    ],
    [
      'a component in the namespace of a tenant',
      spec('grafana', {}, { match: [{ when: 'true', service: 'runtime' }] }),
      ['source-service /spec/match/0/service'],
    ],
    [
      'a match with two targets and one with none',
      spec('grafana', {}, { match: [{ when: 'true', orb: 'a.b@*', provider: 'a.example' }, { when: 'true' }] }),
      ['source-target /spec/match/0', 'source-target /spec/match/1'],
    ],
    [
      'an expression that does not compile, one that knows a wrong name, and one that costs too much',
      spec(
        'grafana',
        {},
        {
          mapping: { items: 'payload.', fields: { title: 'nobody.name' } },
          match: [{ when: 'names.exists(a, names.exists(b, a.matches(b)))', provider: 'a.example' }],
        },
      ),
      [
        'parse-error /spec/mapping/items',
        'unknown-fact /spec/mapping/fields/title',
        'regex-not-literal /spec/match/0/when',
      ],
    ],
    [
      'a timestamp that nobody signs',
      spec('pagerduty', { timestampHeader: 'X-T' }),
      ['source-header-unused /spec/auth/timestampHeader'],
    ],
    [
      'waits above a day',
      spec('grafana', {}, { effects: { for: '25h', quietPeriod: '1441m' }, retention: { raw: '721h' } }),
      [
        'source-duration /spec/effects/for',
        'source-duration /spec/effects/quietPeriod',
        'source-duration /spec/retention/raw',
      ],
    ],
  ];
  for (const [why, wanted, findings] of refused)
    it(`refuses ${why}`, () => {
      expect(refusals(wanted)).to.deep.equal(findings);
    });

  it('says at which place of an expression the fault is', () => {
    const title = 'payload.name\n  + nobody.x';
    const result = compileSource(spec('grafana', {}, { mapping: { fields: { title } } }), false);
    expect(result.ok ? [] : result.findings.map(({ line, column }) => [line, column])).to.deep.equal([[2, 5]]);
  });

  it('lets the namespace of the platform name a component', () => {
    expect(refusals(spec('grafana', {}, { match: [{ when: 'true', service: 'runtime' }] }), true)).to.deep.equal([]);
  });

  it('takes expressions of the source in place of those of its type, with our words beside the vendor’s', () => {
    const payload = { alerts: [{ status: 'firing', name: 'a', level: 'page', labels: { severity: 'low' } }] };
    const own = { mapping: { fields: { title: 'item.name', severity: 'item.level' } } };
    expect(events(spec('grafana', {}, own), payload)).to.deep.equal(['alert firing critical a']);
    const status = { mapping: { fields: { status: '"acknowledged"', title: '"t"' } } };
    expect(events(spec('pagerduty', {}, status), {})).to.deep.equal(['incident acknowledged warning t']);
    const rule = compiled(spec('grafana', {}, { mapping: { fields: { fingerprint: 'item.labels.id' } } }));
    expect(rule.fingerprintRule).to.equal('alerts[].labels.id ?? sha256(body)');
  });

  const kinds: readonly (readonly [string, object, string])[] = [
    ['is an alert that warns', {}, 'alert firing warning n'],
    ['is a change that only informs', { kind: 'change' }, 'change firing info n'],
  ];
  for (const [why, mapping, event] of kinds)
    it(`of type custom without a severity ${why}`, () => {
      const wanted = custom({}, { mapping: { fields: FIELDS, ...mapping } });
      expect(events(wanted, { state: 'firing', name: 'n' })).to.deep.equal([event]);
    });

  it('of type custom gives an event for each item', () => {
    const fields = { status: 'item.ok ? "resolved" : "firing"', title: 'item.name' };
    const wanted = custom({}, { mapping: { items: 'payload.checks', fields } });
    const payload = {
      checks: [
        { ok: true, name: 'a' },
        { ok: false, name: 'b' },
      ],
    };
    expect(events(wanted, payload)).to.deep.equal(['alert resolved warning a', 'alert firing warning b']);
  });
});
