import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import type { Finding } from '../../../../core/manifest/finding.ts';
import { parseDocuments } from '../../../../core/manifest/parse-text.ts';
import { checkManifest } from '../../../../core/manifest/validate.ts';
import { aManifest, mail } from './a-manifest.ts';

const findings = (value: JsonValue, ...allowedOrigins: readonly string[]): readonly Finding[] =>
  checkManifest(value, { allowedOrigins }).findings;
const brief = ({ severity, code, pointer, suggestion }: Finding): string =>
  [severity, code, pointer, ...(suggestion === undefined ? [] : [`→ ${suggestion}`])].join(' ');
const briefs = (value: JsonValue, ...allowedOrigins: readonly string[]): readonly string[] =>
  findings(value, ...allowedOrigins).map(brief);
const without = (value: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([member]) => member !== name));

const jwt = `eyJ${'a'.repeat(12)}.eyJ${'b'.repeat(12)}.${'c'.repeat(12)}`;
const other = { execution: { url: 'https://b.example/run' } };

/** `[why, manifest, findings]`: exactly these, in this order. */
const rows: readonly (readonly [why: string, manifest: JsonValue, expected: readonly string[]])[] = [
  ['no object', [], ['error schema-type ']],
  ['a missing member', without(mail, 'provider'), ['error schema-required /provider']],
  [
    'two unknown members, with the nearest known names',
    { ...mail, swapConfig: {}, providerz: {} },
    [
      'error schema-additionalProperties /swapConfig → swap_config',
      'error schema-additionalProperties /providerz → providers',
    ],
  ],
  ['an unknown member that is near nothing', { ...mail, colour: 'red' }, ['error schema-additionalProperties /colour']],
  [
    'an unknown member of execution',
    aManifest({ timeout: 5 }),
    ['error schema-additionalProperties /execution/timeout'],
  ],
  [
    'an unknown member of execution that is near one',
    aManifest({ body_tempalte: '' }),
    ['error schema-additionalProperties /execution/body_tempalte → body_template'],
  ],
  ['pin, which is no member of a manifest', { ...mail, pin: {} }, ['error schema-additionalProperties /pin']],
  ['a malformed orb_id', { ...mail, orb_id: 'acme.send-email@1' }, ['error schema-pattern /orb_id']],
  ['a method in lower case', aManifest({ method: 'post' }), ['error schema-enum /execution/method → POST']],
  ['a method that is none', aManifest({ method: 'CONNECT' }), ['error schema-enum /execution/method']],
  ['a number where a string belongs', { ...mail, description: 5 }, ['error schema-type /description']],
  ['a timeout beyond 120 s', aManifest({ timeout_ms: 120_001 }), ['error schema-maximum /execution/timeout_ms']],
  [
    'a connect timeout below 100 ms',
    aManifest({ connect_timeout_ms: 99 }),
    ['error schema-minimum /execution/connect_timeout_ms'],
  ],
  ['a fourth redirect', aManifest({ follow_redirects: 4 }), ['error schema-maximum /execution/follow_redirects']],
  [
    'an input name that no placeholder can hold',
    aManifest({}, { inputs: { 'reply-to': {} } }),
    ['error schema-propertyNames /inputs/reply-to'],
  ],
  [
    'a header name with a space',
    aManifest({ headers: { 'X Y': '1' } }),
    ['error schema-propertyNames /execution/headers/X Y'],
  ],
  [
    'an unknown type',
    aManifest({}, { inputs: { a: { type: 'strng' } } }),
    ['error schema-enum /inputs/a/type → string'],
  ],
  [
    'a ninth capability',
    { ...mail, capabilities: Array.from({ length: 9 }, () => 'text.generate') },
    ['error schema-maxItems /capabilities'],
  ],
  ['null as a member', { ...mail, description: null }, ['error manifest-null /description']],
  [
    'null deep inside',
    aManifest({}, { inputs: { a: { type: 'object', default: { b: [null] } } } }),
    ['error manifest-null /inputs/a/default/b/0'],
  ],
  [
    '__proto__ as a name',
    aManifest({}, { inputs: JSON.parse('{"__proto__":{}}') }),
    ['error unsafe-name /inputs/__proto__'],
  ],
  ['half of a surrogate pair', { ...mail, description: '\ud800' }, ['error invalid-unicode /description']],

  ['http', aManifest({ url: 'http://orbs.example/run' }), ['error manifest-url-not-https /execution/url']],
  ['no scheme', aManifest({ url: 'orbs.example/run' }), ['error manifest-url-not-https /execution/url']],
  ['another scheme', aManifest({ url: 'file:///etc/passwd' }), ['error manifest-url-not-https /execution/url']],
  ['an IPv4 address', aManifest({ url: 'https://93.184.216.34/' }), ['error manifest-host-private /execution/url']],
  [
    'an IPv4 address as one number',
    aManifest({ url: 'https://2130706433/' }),
    ['error manifest-host-private /execution/url'],
  ],
  [
    'an IPv4 address in hexadecimal',
    aManifest({ url: 'https://0x7f.1/' }),
    ['error manifest-host-private /execution/url'],
  ],
  ['an IPv6 address', aManifest({ url: 'https://[2606:4700::1111]/' }), ['error manifest-host-private /execution/url']],
  ['a single label', aManifest({ url: 'https://intranet/' }), ['error manifest-host-private /execution/url']],
  [
    'a dot after the single label',
    aManifest({ url: 'https://intranet./' }),
    ['error manifest-host-private /execution/url'],
  ],
  [
    'a Service of a cluster',
    aManifest({ url: 'https://api.default.svc/' }),
    ['error manifest-host-private /execution/url'],
  ],
  [
    'a name under .local, in upper case',
    aManifest({ url: 'https://API.default.svc.cluster.LOCAL:8443/' }),
    ['error manifest-host-private /execution/url'],
  ],
  [
    'the metadata name of a cloud',
    aManifest({ url: 'https://metadata.google.internal/' }),
    ['error manifest-host-private /execution/url'],
  ],
  [
    'localhost with user info in front',
    aManifest({ url: 'https://api.example@localhost/' }),
    ['error manifest-host-private /execution/url'],
  ],
  [
    'a name under home.arpa',
    aManifest({ url: 'https://nas.home.arpa/' }),
    ['error manifest-host-private /execution/url'],
  ],
  [
    'a host that one secret makes',
    aManifest({ url: 'https://{{orbiset.secrets.HOST}}/' }),
    ['error manifest-host-private /execution/url'],
  ],
  ['a secret label in a public host', aManifest({ url: 'https://{{orbiset.secrets.SHOP}}.shops.example/' }), []],
  ['a host that only contains a private suffix', aManifest({ url: 'https://local.example/internal.svc' }), []],
  [
    'an input in the host, its name unknown too',
    aManifest({ url: 'https://{{inputs.h}}.example/' }),
    ['error manifest-input-in-host /execution/url', 'error manifest-unknown-input /execution/url'],
  ],
  [
    'an input in the port',
    aManifest({ url: 'https://a.example:{{ inputs.p }}/' }, { inputs: { p: { required: true } } }),
    ['error manifest-input-in-host /execution/url'],
  ],
  [
    'an input in the scheme',
    aManifest({ url: '{{inputs.u}}://a.example/' }, { inputs: { u: { required: true } } }),
    ['error manifest-input-in-host /execution/url'],
  ],
  [
    'an input that is the whole URL',
    aManifest({ url: '{{inputs.u}}' }, { inputs: { u: { required: true } } }),
    ['error manifest-input-in-host /execution/url'],
  ],
  [
    'an input in path and query',
    aManifest({ url: 'https://a.example/x/{{inputs.p}}?q={{inputs.p}}' }, { inputs: { p: { required: true } } }),
    [],
  ],
  [
    'the hosts of another provider and of a probe',
    aManifest(
      { probe: { url: 'https://localhost/' } },
      { providers: { b: { execution: { url: 'http://b.example/' } } } },
    ),
    ['error manifest-host-private /execution/probe/url', 'error manifest-url-not-https /providers/b/execution/url'],
  ],

  [
    'a placeholder without input, with the nearest name',
    aManifest({ headers: { 'X-A': '{{inputs.recipent}}' } }, { inputs: { recipient: { default: 'a' } } }),
    [
      'error manifest-unknown-input /execution/headers/X-A → recipient',
      'warning manifest-input-unused /inputs/recipient',
    ],
  ],
  [
    'an input that nothing uses',
    aManifest({}, { inputs: { a: { required: true } } }),
    ['warning manifest-input-unused /inputs/a'],
  ],
  [
    'an input that only a fallback uses',
    aManifest(
      {},
      { inputs: { a: { required: true } }, providers: { b: { execution: { url: 'https://b.example/{{inputs.a}}' } } } },
    ),
    [],
  ],
  [
    'an optional input without default in a template',
    aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: {} } }),
    ['warning input-effectively-required /inputs/a'],
  ],
  [
    'an optional input whose default is false',
    aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: { type: 'boolean', default: false } } }),
    [],
  ],

  [
    'a default of another type',
    aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: { default: false } } }),
    ['error manifest-default-type /inputs/a/default'],
  ],
  [
    'a fraction as default of an integer',
    aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: { type: 'integer', default: 1.5 } } }),
    ['error manifest-default-type /inputs/a/default'],
  ],
  [
    'a secret as default of a number',
    aManifest(
      { body_template: '{{inputs.a}}' },
      { inputs: { a: { type: 'number', default: '{{orbiset.secrets.N}}' } } },
    ),
    ['error manifest-default-type /inputs/a/default'],
  ],
  [
    'a required input with a default',
    aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: { required: true, default: 'x' } } }),
    ['warning manifest-required-default /inputs/a/default'],
  ],
  [
    'a pointer into the answer',
    aManifest({}, { outputs: { a: { from: '/body/x~1y/0' }, b: { from: '/headers/etag' }, c: { from: '/status' } } }),
    [],
  ],
  [
    'a pointer to somewhere else',
    aManifest({}, { outputs: { a: { from: '/data/x' } } }),
    ['error manifest-output-pointer /outputs/a/from'],
  ],
  [
    'a pointer into the status',
    aManifest({}, { outputs: { a: { from: '/status/x' } } }),
    ['error manifest-output-pointer /outputs/a/from'],
  ],
  [
    'a pointer with a bad escape',
    aManifest({}, { outputs: { a: { from: '/body/~2' } } }),
    ['error manifest-output-pointer /outputs/a/from'],
  ],
  [
    'outputs of a provider that the Orb has not',
    aManifest(
      {},
      { outputs: { message_id: {} }, providers: { b: { ...other, outputs: { mesage_id: { from: '/oops' } } } } },
    ),
    [
      'error schema-additionalProperties /providers/b/outputs/mesage_id → message_id',
      'error manifest-output-pointer /providers/b/outputs/mesage_id/from',
    ],
  ],
  ['an objective above the default timeout', aManifest({ slo_ms: 30_001 }), ['error manifest-slo /execution/slo_ms']],
  ['a timeout below the objective that nobody wrote', aManifest({ timeout_ms: 4000 }), []],
  ['an objective equal to the timeout', aManifest({ slo_ms: 4000, timeout_ms: 4000 }), []],
  [
    'an attempt longer than the run',
    aManifest({ timeout_ms: 4000, attempt_timeout_ms: 4001 }),
    ['warning manifest-attempt-timeout /execution/attempt_timeout_ms'],
  ],
  [
    'a run that one connection may use up',
    aManifest({ timeout_ms: 5999, connect_timeout_ms: 3000 }),
    ['warning manifest-connect-timeout /execution/timeout_ms'],
  ],
  ['no description', without(aManifest(), 'description'), ['warning manifest-description /description']],
  [
    'a description of 201 characters',
    aManifest({}, { description: 'x'.repeat(201) }),
    ['warning manifest-description /description'],
  ],
  ['a description of 200 characters', aManifest({}, { description: 'x'.repeat(200) }), []],

  [
    'a fallback that nothing defines',
    { ...mail, swap_config: { primary: 'sendgrid', fallbacks: ['mailgun'], strategy: 'latency' } },
    ['warning manifest-provider-undefined /swap_config/fallbacks/0'],
  ],
  [
    'a primary that nothing defines',
    { ...mail, swap_config: { primary: 'x' } },
    ['warning manifest-provider-undefined /swap_config/primary'],
  ],
  ['a fallback that is defined', { ...mail, swap_config: { fallbacks: ['b'] }, providers: { b: other } }, []],
  [
    'a fallback that stands twice',
    { ...mail, swap_config: { fallbacks: ['b', 'b'] }, providers: { b: other } },
    ['error manifest-fallback-duplicate /swap_config/fallbacks/1'],
  ],
  [
    'a fallback that is the provider of the manifest',
    { ...mail, swap_config: { fallbacks: ['sendgrid'] } },
    ['error manifest-fallback-duplicate /swap_config/fallbacks/0'],
  ],
  [
    'a definition of the provider that has one already',
    { ...mail, providers: { sendgrid: other } },
    ['warning manifest-provider-shadowed /providers/sendgrid'],
  ],
  [
    'a provider without an execution',
    { ...mail, providers: { b: {} } },
    ['error schema-required /providers/b/execution'],
  ],

  [
    'a key in an Authorization header',
    aManifest({ headers: { Authorization: 'Bearer abcdefgh12345678' } }),
    ['error manifest-secret-literal /execution/headers/Authorization'],
  ],
  [
    'a key in a header of its own',
    aManifest({ headers: { 'x-api-key': 'abcdefgh' } }),
    ['error manifest-secret-literal /execution/headers/x-api-key'],
  ],
  [
    'a JSON Web Token in any header',
    aManifest({ headers: { 'X-Any': jwt } }),
    ['error manifest-secret-literal /execution/headers/X-Any'],
  ],
  [
    'a private key in the body',
    aManifest({ body_template: '-----BEGIN RSA PRIVATE KEY-----' }),
    ['error manifest-secret-literal /execution/body_template'],
  ],
  [
    'a key in the query',
    aManifest({ url: 'https://a.example/?api_key=abcdefgh12345678' }),
    ['error manifest-secret-literal /execution/url'],
  ],
  [
    'a password as default',
    aManifest({ body_template: '{{inputs.db_password}}' }, { inputs: { db_password: { default: 'hunter2-hunter2' } } }),
    ['error manifest-secret-literal /inputs/db_password/default'],
  ],
  [
    'an API version, a language and a word in a query',
    aManifest({
      url: 'https://a.example/?key=title&token=count',
      headers: { 'X-Api-Version': '2026-01-31', Accept: 'application/json' },
    }),
    [],
  ],
  [
    'a placeholder in an Authorization header',
    aManifest({ headers: { Authorization: 'Token token={{orbiset.secrets.K}}' } }),
    [],
  ],
];

describe('checkManifest', () => {
  for (const [why, manifest, expected] of rows)
    it(`finds ${expected.length === 0 ? 'nothing wrong with' : 'what is wrong with'} ${why}`, () => {
      expect(briefs(manifest)).to.deep.equal(expected);
    });

  it('accepts the mail example with the members of the specification alone', () => {
    expect(checkManifest(mail, { allowedOrigins: [] })).to.deep.equal({ ok: true, value: mail, findings: [] });
  });

  it('accepts a manifest without type, method and description', () => {
    const { ok } = checkManifest(without(aManifest(), 'description'), { allowedOrigins: [] });
    expect(ok).to.equal(true);
  });

  it('gives the very value back, nothing filled in', () => {
    const result = checkManifest(mail, { allowedOrigins: [] });
    expect(result.ok && result.value).to.equal(mail);
  });

  it('accepts every member of swap_config', () => {
    const swap: JsonObject = {
      primary: 'main',
      fallbacks: ['b'],
      strategy: 'latency',
      latency: {
        quantile: 0.9,
        threshold_ms: 800,
        degrade_ratio: 2,
        min_abs_ms: 500,
        min_improvement: 0.2,
        windows: ['2m', '10m'],
        min_samples: 20,
        base_min_samples: 50,
        consecutive: 3,
        evaluation_interval: '15s',
      },
      hard_failure: { error_ratio: 0.5, min_requests: 10, consecutive_failures: 5 },
      dwell: { min: '60s', hold_down: '5m', multiplier: 2, max: '30m', jitter: 0.1, max_swaps_per_hour: 6 },
      failback: {
        mode: 'manual',
        consecutive: 12,
        max_ratio: 1.25,
        min_probe_ok: 0.95,
        min_probe_samples: 8,
        ramp: [10, 100],
        ramp_step: '60s',
      },
      probe: {
        mode: 'none',
        interval: '30s',
        jitter: 0.2,
        timeout: '500ms',
        max_per_hour: 150,
        inputs: { a: 'x' },
        orbiset: 'support',
      },
    };
    expect(briefs(aManifest({}, { swap_config: swap, providers: { b: other } }))).to.deep.equal([]);
  });

  it('accepts every member of execution', () => {
    const execution: JsonObject = {
      type: 'http',
      method: 'PUT',
      headers: { 'X-A': 'b' },
      body_template: '{}',
      timeout_ms: 30_000,
      connect_timeout_ms: 1000,
      attempt_timeout_ms: 15_000,
      body_idle_ms: 5000,
      idempotent: true,
      idempotency_header: 'Idempotency-Key',
      slo_ms: 500,
      retry: { max_attempts: 3, on_status: [408, 503], not_executed_status: [] },
      follow_redirects: 3,
      expose_error_body: true,
      max_response_bytes: 4_194_304,
      probe: {
        method: 'GET',
        url: 'https://orbs.example/up',
        headers: {},
        body_template: '',
        expect: { status: [204], pointer: '/ok', equals: true },
      },
    };
    expect(briefs(aManifest(execution))).to.deep.equal([]);
  });

  for (const strategy of [
    'error_rate',
    'weighted',
    'cost',
    'round_robin',
    'p2c_ewma',
    'least_inflight',
    'quota',
    'region',
    'trust',
  ])
    it(`refuses the reserved strategy ${strategy} and names the two there are`, () => {
      const [finding] = findings({ ...mail, swap_config: { strategy } });
      expect(finding).to.include({ code: 'schema-enum', pointer: '/swap_config/strategy' });
      expect(finding?.detail).to.match(/reserved.*latency or priority/);
    });

  const private1 = aManifest({ url: 'http://127.0.0.1:9000/run' });
  it('lets an allowed origin be http and private', () => {
    expect(briefs(private1, 'http://127.0.0.1:9000')).to.deep.equal([]);
  });

  for (const origin of ['http://127.0.0.1:900', 'https://127.0.0.1:9000', 'http://127.0.0.1', 'http://127.0.0.1:90000'])
    it(`does not take ${origin} for that origin`, () => {
      expect(briefs(private1, origin)).to.deep.equal(['error manifest-url-not-https /execution/url']);
    });

  it('keeps inputs out of an allowed origin', () => {
    const value = aManifest({ url: 'https://{{inputs.h}}:1/' }, { inputs: { h: { required: true } } });
    expect(briefs(value, 'https://{{inputs.h}}:1')).to.deep.equal(['error manifest-input-in-host /execution/url']);
  });

  it('shows nothing of what looks like a credential', () => {
    const value = aManifest({ headers: { Authorization: 'Bearer abcdefgh12345678' } });
    expect(JSON.stringify(findings(value))).not.to.include('abcdefgh');
  });

  it('names at most 50 faults', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`zz${index}`, 1]));
    expect(findings({ ...mail, ...many })).to.have.lengthOf(50);
  });

  it('never throws, whatever the value, and never accepts with an error', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(...Object.keys(mail)), (value, name) => {
        const json: JsonValue = JSON.parse(JSON.stringify(value));
        const result = checkManifest({ ...mail, [name]: json }, { allowedOrigins: [] });
        expect(result.ok).to.equal(result.findings.every(({ severity }) => severity !== 'error'));
      }),
    );
  });

  it('finds nothing to say about the examples', async () => {
    for (const name of ['mail', 'echo']) {
      const text = await readFile(new URL(`../../../../manifests/${name}.yaml`, import.meta.url), 'utf8');
      const [document] = parseDocuments(text, 'yaml');
      expect(document?.ok === true && isJsonObject(document.value) && findings(document.value)).to.deep.equal([]);
    }
  });
});
