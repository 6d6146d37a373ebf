import fc from 'fast-check';
import sourceSchema from '../../../crds/schemas/orbsignalsource.schema.json' with { type: 'json' };
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { documentOf, mostly, SchemaValues } from './schema-values.ts';

type Values = fc.Arbitrary<JsonValue>;

const sources = new SchemaValues(sourceSchema);
const part = (name: string): Values => sources.of(sources.definition(name));

const TYPES = [
  'alertmanager',
  'grafana',
  'pagerduty',
  'datadog',
  'statuscake',
  'uptimerobot',
  'standardWebhooks',
  'custom',
];
const FIELDS: JsonObject = { status: 'payload.a', title: 'payload.b' };
const HEADERS: JsonObject = { signatureHeader: 'X-S', timestampHeader: 'X-T' };
const CUSTOM: JsonObject = { type: 'custom', mapping: { fields: FIELDS } };

/** Types with schemes that fit, and some that do not: free combinations would nearly never fit. */
const FITTING: readonly { readonly spec: JsonObject; readonly auth: JsonObject }[] = [
  ...TYPES.map((type) => ({ spec: { type, mapping: { fields: FIELDS } }, auth: { scheme: 'bearer' } })),
  { spec: { type: 'grafana' }, auth: { timestampHeader: 'X-T' } },
  { spec: { type: 'sentry' }, auth: { scheme: 'hmac' } },
  { spec: { type: 'newrelic' }, auth: { scheme: 'hmac', signatureHeader: 'X-S' } },
  { spec: { type: 'statuscake' }, auth: { scheme: 'md5Token' } },
  { spec: { type: 'uptimerobot', limits: { allowGet: true } }, auth: {} },
  { spec: { type: 'custom', mapping: { parser: 'form', fields: FIELDS } }, auth: { scheme: 'bearer' } },
  { spec: CUSTOM, auth: { scheme: 'ecdsa', ...HEADERS } },
  { spec: CUSTOM, auth: { scheme: 'hmac', signatureHeader: 'X-S', hmac: { prefix: 'v1=' } } },
  { spec: CUSTOM, auth: { scheme: 'hmac', ...HEADERS, hmac: { signedContent: '{timestamp}:{body}' } } },
  {
    spec: CUSTOM,
    auth: {
      scheme: 'hmac',
      signatureHeader: 'X-S',
      hmac: { signedContent: '{timestamp}.{body}', pairs: { timestamp: 't', signature: 'v1' } },
    },
  },
];

const durations = fc.constantFrom('0s', '30s', '5m', '24h', '25h', '1440m', '1441m', '86401s', '1', 'h');
const effects: Values = fc.record(
  { for: durations, quietPeriod: durations, incident: fc.boolean() },
  { requiredKeys: [] },
);
const hours = fc.constantFrom('1h', '168h', '720h', '721h', '8760h', '8761h', '0h', '7d');
const retention: Values = fc.record({ raw: hours, signals: hours }, { requiredKeys: [] });

const spread = (value: JsonValue): JsonObject => (isJsonObject(value) ? value : {});
const seldom = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });
/** Members that are there. */
const present = (members: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

const refs = sources.of(sources.definition('secretRef'));
const secretRefs = fc.array(refs, { minLength: 1, maxLength: 4 });
const parts = fc.record({
  fitting: fc.constantFrom(...FITTING),
  secretRefs,
  /** Takes the place of members of the fitting one. */
  auth: fc.option(part('auth'), { nil: {}, freq: 4 }),
  hmac: fc.option(part('hmac'), { nil: undefined, freq: 8 }),
  mapping: seldom(part('mapping')),
  match: seldom(fc.array(part('match'), { maxLength: 2 })),
  effects: seldom(effects),
  limits: seldom(part('limits')),
  retention: seldom(retention),
  mode: seldom(mostly<JsonValue>(fc.constantFrom('Active', 'Observe', 'Disabled'), fc.constant('active'))),
  pathEpoch: seldom(fc.integer({ min: 0, max: 1_000_001 })),
});

const specs: fc.Arbitrary<JsonObject> = parts.map(({ fitting, secretRefs: named, auth, hmac, ...rest }) => {
  const form = fitting.auth['hmac'] !== undefined && hmac !== undefined ? { hmac } : {};
  const joined = present(rest);
  return { ...fitting.spec, ...joined, auth: { ...fitting.auth, secretRefs: named, ...form, ...spread(auth) } };
});

/** OrbSignalSources by their schema and by the schemes that fit: a good part of them is valid. */
export const sourceDocuments: fc.Arbitrary<JsonObject> = specs.map((spec) =>
  documentOf('OrbSignalSource', 'some', spec),
);
