import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../core/json/json-value.ts';
import { checkDocument } from '../../../../core/manifest/documents.ts';
import { mail } from './a-manifest.ts';

const api = 'orbs.dev/v1alpha1';
const metadata = { name: 'support', namespace: 'acme' };
const orb = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: api,
  kind: 'Orb',
  metadata,
  spec,
  ...more,
});
const orbiset = (spec: JsonObject): JsonObject => ({ apiVersion: api, kind: 'Orbiset', metadata, spec });
const secret = (more: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Secret', metadata, ...more });
const pin = { provider: 'sendgrid', expires_at: '2026-01-31T12:00:00Z', mode: 'soft', reason: 'quota' };
const vault = (binding: JsonObject): JsonObject => orbiset({ vault: { secrets: [binding] } });

const refused: readonly (readonly [why: string, value: JsonValue, finding: string])[] = [
  ['a list', [], 'document-unknown '],
  ['an empty object', {}, 'document-unknown '],
  [
    'a publication, which is no file',
    { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPublication' },
    'document-unknown /kind',
  ],
  ['another kind', { apiVersion: 'v1', kind: 'Pod', metadata }, 'document-unknown /kind'],
  ['a kind named like a member of every object', { kind: 'constructor' }, 'document-unknown /kind'],
  ['a bare manifest with a malformed id', { ...mail, orb_id: 'x' }, 'orb-id-malformed /orb_id'],
  ['an Orb of another version', orb(mail, { apiVersion: 'orbs.dev/v1' }), 'schema-enum /apiVersion'],
  ['an Orb without a name', orb(mail, { metadata: {} }), 'schema-required /metadata/name'],
  [
    'a misspelt namespace',
    orb(mail, { metadata: { name: 'a', namepsace: 'b' } }),
    'schema-additionalProperties /metadata/namepsace',
  ],
  ['a name in upper case', orb(mail, { metadata: { name: 'A' } }), 'schema-pattern /metadata/name'],
  ['a pin without an end', orb({ ...mail, pin: { provider: 'a' } }), 'schema-required /spec/pin/expires_at'],
  [
    'a pin until no time',
    orb({ ...mail, pin: { ...pin, expires_at: '2026-13-41T12:00:00Z' } }),
    'schema-format /spec/pin/expires_at',
  ],
  [
    'a pin with a time without zone',
    orb({ ...mail, pin: { ...pin, expires_at: '2026-01-31T12:00:00' } }),
    'schema-pattern /spec/pin/expires_at',
  ],
  [
    'a pin until 30 February',
    orb({ ...mail, pin: { ...pin, expires_at: '2026-02-30T12:00:00Z' } }),
    'schema-format /spec/pin/expires_at',
  ],
  [
    'a pin until 24:00',
    orb({ ...mail, pin: { ...pin, expires_at: '2026-01-31T24:00:00Z' } }),
    'schema-format /spec/pin/expires_at',
  ],
  [
    'a pin to a provider that the manifest does not define',
    orb({ ...mail, pin: { ...pin, provider: 'mailgun' } }),
    'pin-provider-unknown /spec/pin/provider',
  ],
  ['a name with two dots', orb(mail, { metadata: { name: 'a..b' } }), 'schema-pattern /metadata/name'],
  [
    'a label that Kubernetes can not hold',
    orb(mail, { metadata: { name: 'a', labels: { a: '-' } } }),
    'schema-pattern /metadata/labels/a',
  ],
  [
    'an annotation that Kubernetes can not hold',
    orb(mail, { metadata: { name: 'a', annotations: { 'a b': '' } } }),
    'schema-propertyNames /metadata/annotations/a b',
  ],
  ['an Orbiset with a dot in its name', { ...orbiset({}), metadata: { name: 'a.b' } }, 'schema-pattern /metadata/name'],
  [
    'a Secret that is bound twice',
    orbiset({
      vault: {
        secrets: [
          { name: 'mail', allowedHosts: ['a.example'] },
          { name: 'mail', allowedHosts: ['b.example'] },
        ],
      },
    }),
    'secret-bound-twice /spec/vault/secrets/1/name',
  ],
  ['a vault without hosts', vault({ name: 'mail' }), 'schema-required /spec/vault/secrets/0/allowedHosts'],
  [
    'an empty list of hosts',
    vault({ name: 'mail', allowedHosts: [] }),
    'schema-minItems /spec/vault/secrets/0/allowedHosts',
  ],
  [
    'a URL as host',
    vault({ name: 'mail', allowedHosts: ['https://a.example'] }),
    'schema-pattern /spec/vault/secrets/0/allowedHosts/0',
  ],
  [
    'a star inside a host',
    vault({ name: 'mail', allowedHosts: ['a.*.example'] }),
    'schema-pattern /spec/vault/secrets/0/allowedHosts/0',
  ],
  [
    'keys that are a text',
    vault({ name: 'mail', allowedHosts: ['*'], keys: 'A' }),
    'schema-oneOf /spec/vault/secrets/0/keys',
  ],
  ['a limit of nothing', orbiset({ limits: { in_flight: 0 } }), 'schema-minimum /spec/limits/in_flight'],
  ['an unknown member of an Orbiset', orbiset({ suspend: true }), 'schema-additionalProperties /spec/suspend'],
  ['data that is not base64', secret({ data: { 'a.b': 'not base64' } }), 'secret-not-base64 /data/a.b'],
  ['data without padding', secret({ data: { a: 'YQ' } }), 'secret-not-base64 /data/a'],
  ['a number as value', secret({ stringData: { a: 5 } }), 'schema-type /stringData/a'],
];

const nameOf = (id: string): string => {
  const result = checkDocument({ ...mail, orb_id: id });
  return result.ok ? result.value.name : '';
};

describe('checkDocument', () => {
  for (const [why, value, finding] of refused)
    it(`refuses ${why}`, () => {
      const result = checkDocument(value);
      expect(result.ok).to.equal(false);
      expect(result.findings.map(({ code, pointer }) => `${code} ${pointer}`)).to.deep.equal([finding]);
    });

  it('names a bare manifest as the loader does, in the namespace default', () => {
    const result = checkDocument(mail);
    expect(result.ok && result.value).to.deep.equal({
      kind: 'Orb',
      namespace: 'default',
      name: 'acme.send-email-1.0.0',
      manifest: mail,
      pointer: '',
      pin: undefined,
    });
  });

  it('gives names that a resource can not hold a suffix of their own', () => {
    expect(nameOf('a.B@1.0.0+x')).to.match(/^a\.b-1\.0\.0-x-[0-9a-f]{8}$/);
    expect(nameOf('a.B@1.0.0+x')).not.to.equal(nameOf('a.b@1.0.0+X'));
  });

  it('gives every id a name that Kubernetes can hold', () => {
    const label = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';
    const ids = [
      'a.b..c@1.0.0',
      'a.b.-c@1.0.0',
      'a.b-.c@1.0.0',
      'a.b@1.0.0-x-',
      'a.b@1.0.0-x.-y',
      `a.${'b.'.repeat(121)}B@1.0.0`,
    ];
    for (const id of ids) expect(nameOf(id), id).to.match(new RegExp(`^${label}([.]${label})*$`));
    expect(nameOf('a.b..c@1.0.0')).not.to.equal(nameOf('a.b.-c@1.0.0'));
  });

  it('takes a pin to a provider that the manifest defines beside its own', () => {
    const providers = { mailgun: { execution: mail['execution'] ?? null } };
    expect(checkDocument(orb({ ...mail, providers, pin: { ...pin, provider: 'mailgun' } })).ok).to.equal(true);
  });

  it('separates the pin from the manifest of an Orb', () => {
    const result = checkDocument(orb({ ...mail, pin }));
    expect(result.ok && result.value).to.deep.equal({
      kind: 'Orb',
      namespace: 'acme',
      name: 'support',
      manifest: mail,
      pointer: '/spec',
      pin,
    });
  });

  it('reads what kubectl prints: status, and metadata of the server', () => {
    const printed = { ...metadata, creationTimestamp: null, uid: 'u', generation: 2, labels: { a: 'b' } };
    expect(checkDocument(orb(mail, { metadata: printed, status: { conditions: [] } })).ok).to.equal(true);
  });

  it('reads the Orbiset of the design', () => {
    const spec = {
      vault: {
        secrets: [
          {
            name: 'mail',
            allowedHosts: ['api.sendgrid.com', '*.mailgun.net'],
            keys: ['SENDGRID_API_KEY', 'MAIL_FROM'],
          },
          { name: 'more', allowedHosts: ['*'], keys: { ENTRY: 'key' } },
        ],
      },
      orbs: ['globex.geocode', 'initech.translate@2.1.0'],
      limits: { rate_per_second: 50, in_flight: 32, timeout_ms: 30_000, request_bytes: 1_048_576 },
      policies: { defaultEffect: 'deny', requireReady: true },
      suspended: false,
    };
    const result = checkDocument(orbiset(spec));
    expect(result.ok && result.value).to.deep.equal({ kind: 'Orbiset', ...metadata, spec });
  });

  it('refuses an Orbiset whose policies hold something else, and says that it runs nothing', () => {
    const asking = checkDocument(orbiset({ policies: { any: ['thing'] } }));
    expect(asking.ok).to.equal(false);
    expect(asking.findings.map(({ code, pointer, severity }) => [code, pointer, severity])).to.deep.equal([
      ['schema-additionalProperties', '/spec/policies/any', 'error'],
      ['policies-unreadable', '/spec/policies', 'error'],
    ]);
    expect(checkDocument(orbiset({ policies: {} })).findings).to.deep.equal([]);
  });

  it('reads an OrbPolicy, with the labels of any kind, and refuses members that it does not have', () => {
    const policy = (spec: JsonObject): ReturnType<typeof checkDocument> =>
      checkDocument({ ...orbiset(spec), kind: 'OrbPolicy' });
    const read = policy({ mode: 'Enforce', rules: [] });
    expect(read.ok && read.value).to.deep.equal({
      kind: 'OrbPolicy',
      ...metadata,
      spec: { mode: 'Enforce', rules: [] },
    });
    expect(policy({ rule: [] }).findings.map(({ code }) => code)).to.deep.equal(['schema-additionalProperties']);
    const labels = { tier: 'prod' };
    const labelled = checkDocument({ ...orbiset({}), metadata: { ...metadata, labels } });
    expect(labelled.ok && labelled.value).to.deep.include({ ...metadata, labels });
  });

  it('decodes a Secret; stringData wins', () => {
    const result = checkDocument(
      secret({ type: 'Opaque', data: { a: 'Yf8=', b: 'eA==', c: 'YWJj\nZA==' }, stringData: { b: 'é' } }),
    );
    const data =
      result.ok && result.value.kind === 'Secret'
        ? [...result.value.data].map(([key, value]) => [key, [...value]])
        : [];
    expect(data).to.deep.equal([
      ['a', [0x61, 0xff]],
      ['b', [0xc3, 0xa9]],
      ['c', [0x61, 0x62, 0x63, 0x64]],
    ]);
  });

  it('shows no value of a Secret', () => {
    const { findings } = checkDocument(
      secret({ data: { a: 'hunter2 hunter2', b: 5 }, stringData: { 'x y': 'hunter2' } }),
    );
    expect(findings.length).to.be.greaterThan(0);
    expect(JSON.stringify(findings)).not.to.include('hunter2');
  });
});
