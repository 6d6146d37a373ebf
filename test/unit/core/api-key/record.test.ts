import { expect } from 'chai';
import { checkKey, isCurrent } from '../../../../core/api-key/check.ts';
import {
  apiKeyDocument,
  parseApiKeyRecord,
  type ApiKeyFields,
  type ApiKeyRecord,
} from '../../../../core/api-key/record.ts';
import { isScope, SCOPES } from '../../../../core/api-key/scopes.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/json/json-value.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;
const FIELDS: ApiKeyFields = {
  keyId: 'Ab3dEf6h',
  sha256: 'ab'.repeat(32),
  tenants: ['acme', 'globex'],
  scopes: ['orbs:execute', 'receipts:read'],
  orbs: ['acme.send-email', 'acme.geo@1.0.0'],
  cidrs: ['10.0.0.0/8', '2001:db8::/32'],
  notBefore: NOW,
  expiresAt: NOW + 90 * DAY,
  createdBy: 'cli',
};

const document = (some: Partial<ApiKeyFields> = {}): JsonObject => apiKeyDocument({ ...FIELDS, ...some }, 'orb-system');

function record(some: Partial<ApiKeyFields> = {}): ApiKeyRecord {
  const checked = parseApiKeyRecord(document(some));
  if (!checked.ok) throw new TypeError(JSON.stringify(checked.findings));
  return checked.value;
}

/** The document with one field set, or taken away. */
function withField(name: string, value: JsonValue | undefined, part = 'stringData'): JsonObject {
  const base = document();
  const fields = isJsonObject(base['stringData']) ? base['stringData'] : {};
  const { [name]: _, ...rest } = fields;
  if (value === undefined) return { ...base, stringData: rest };
  return part === 'data'
    ? { ...base, stringData: rest, data: { [name]: value } }
    : { ...base, stringData: { ...rest, [name]: value } };
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `t${index}`);

/** The rate of the document with this text in its field; its findings when it is refused. */
const rateOf = (text: string | undefined): unknown => {
  const checked = parseApiKeyRecord(withField('rate', text));
  return checked.ok ? checked.value.rate : checked.findings;
};

describe('parseApiKeyRecord', () => {
  it('reads the rate of a key; without one it has the rate of all keys', () => {
    expect([rateOf('5:9'), rateOf('0'), rateOf(undefined)]).to.deep.equal([
      { perSecond: 5, burst: 9 },
      'none',
      undefined,
    ]);
  });

  it('reads back what apiKeyDocument writes', () => {
    const { cidrs, ...rest } = record();
    expect(rest).to.deep.equal({
      keyId: 'Ab3dEf6h',
      sha256: new Uint8Array(32).fill(0xab),
      tenants: ['acme', 'globex'],
      scopes: new Set(['orbs:execute', 'receipts:read']),
      orbs: ['acme.send-email', 'acme.geo@1.0.0'],
      notBefore: NOW,
      expiresAt: NOW + 90 * DAY,
      createdBy: 'cli',
    });
    expect(cidrs.map(({ network, prefix }) => [network.length, prefix])).to.deep.equal([
      [4, 8],
      [16, 32],
    ]);
  });

  it('reads back the rate that apiKeyDocument writes', () => {
    expect(record({ rate: '5:9' }).rate).to.deep.equal({ perSecond: 5, burst: 9 });
    expect(record()).to.not.have.property('rate');
  });

  it('is read from a Secret with a type of its own', () => {
    expect(document()).to.deep.include({ apiVersion: 'v1', kind: 'Secret', type: 'orbs.dev/api-key' });
  });

  it('reads the base64 of `data`, as a cluster gives it', () => {
    const checked = parseApiKeyRecord(withField('tenants', btoa('["initech"]'), 'data'));
    expect(checked.ok && checked.value.tenants).to.deep.equal(['initech']);
  });

  it('takes a life of one millisecond, and of 365 days', () => {
    for (const life of [1, 365 * DAY]) expect(record({ expiresAt: NOW + life }).expiresAt).to.equal(NOW + life);
  });

  it('takes `stringData` before `data`, as a server does', () => {
    const checked = parseApiKeyRecord({ ...document(), data: { tenants: btoa('["initech"]') } });
    expect(checked.ok && checked.value.tenants).to.deep.equal(['acme', 'globex']);
  });

  it('takes 256 tenants', () => {
    expect(record({ tenants: names(256) }).tenants).to.have.length(256);
  });

  it('names the Secret by the key id in hexadecimal, so that the key id of a name can be found', () => {
    const { metadata } = document();
    expect(isJsonObject(metadata) && metadata['name']).to.equal('orb-api-key-4162336445663668');
  });

  it('takes a key without limits as one for all Orbs and addresses', () => {
    const { orbs: _orbs, cidrs: _cidrs, ...fields } = FIELDS;
    const checked = parseApiKeyRecord(apiKeyDocument(fields, 'orb-system'));
    expect(checked.ok && [checked.value.orbs, checked.value.cidrs]).to.deep.equal([undefined, []]);
  });

  it('reads ["*"] as all tenants', () => {
    expect(record({ tenants: ['*'] }).tenants).to.equal('*');
  });

  const rows: readonly (readonly [string, JsonValue, string])[] = [
    ['no object', null, ''],
    ['another kind', { ...document(), kind: 'ConfigMap' }, ''],
    ['another version', { ...document(), apiVersion: 'v2' }, ''],
    ['labels that are none', { ...document(), metadata: { labels: 'orbs.dev/api-key' } }, '/metadata/labels'],
    ['no metadata', { ...document(), metadata: null }, '/metadata/labels'],
    ['no label', { ...document(), metadata: { name: 'x' } }, '/metadata/labels'],
    ['another label value', { ...document(), metadata: { labels: { 'orbs.dev/api-key': true } } }, '/metadata/labels'],
    ['no hash', withField('sha256', undefined), '/stringData/sha256'],
    ['a hash in upper case', withField('sha256', 'AB'.repeat(32)), '/stringData/sha256'],
    ['a hash that is a number', withField('sha256', 12), '/stringData/sha256'],
    ['a key id of nine characters', withField('keyid', 'Ab3dEf6hi'), '/stringData/keyid'],
    ['no tenants', withField('tenants', '[]'), '/stringData/tenants'],
    ['a tenant that is a number', withField('tenants', '["acme",1]'), '/stringData/tenants'],
    ['tenants that are one text', withField('tenants', '"acme"'), '/stringData/tenants'],
    ['more than 256 tenants', withField('tenants', JSON.stringify(names(257))), '/stringData/tenants'],
    ['a maker that is no UTF-8', withField('created_by', btoa('a\u00FF'), 'data'), '/stringData/created_by'],
    ['tenants that are no JSON', withField('tenants', 'acme'), '/stringData/tenants'],
    ['a tenant that is no namespace', withField('tenants', '["Acme"]'), '/stringData/tenants'],
    ['all tenants and one', withField('tenants', '["*","acme"]'), '/stringData/tenants'],
    ['an unknown scope', withField('scopes', '["orbs:execute","root"]'), '/stringData/scopes'],
    ['no scopes', withField('scopes', '[]'), '/stringData/scopes'],
    ["orbs that can't be read", withField('orbs', '%%%', 'data'), '/stringData/orbs'],
    ['orbs that are no text', withField('orbs', ['acme.x']), '/stringData/orbs'],
    ['an empty limit of Orbs', withField('orbs', '[]'), '/stringData/orbs'],
    ['an Orb without org', withField('orbs', '["send"]'), '/stringData/orbs'],
    ['an empty limit of addresses', withField('cidrs', '[]'), '/stringData/cidrs'],
    ['a rate that is none', withField('rate', 'fast'), '/stringData/rate'],
    ['a block with host bits', withField('cidrs', '["10.0.0.1/8"]'), '/stringData/cidrs'],
    ['no expiry', withField('expires_at', undefined), '/stringData/expires_at'],
    ['a local time', withField('expires_at', '2026-12-20T10:00:00'), '/stringData/expires_at'],
    ['a day that does not exist', withField('expires_at', '2026-13-40T10:00:00Z'), '/stringData/expires_at'],
    ['an expiry before the start', document({ expiresAt: NOW }), '/stringData/expires_at'],
    ['a life of more than 365 days', document({ expiresAt: NOW + 365 * DAY + 1 }), '/stringData/expires_at'],
    ['a maker with a newline', withField('created_by', 'a\nb'), '/stringData/created_by'],
  ];
  for (const [why, input, pointer] of rows) {
    it(`refuses ${why}`, () => {
      const { ok, findings } = parseApiKeyRecord(input);
      expect(ok).to.equal(false);
      expect(findings.map((finding) => finding.pointer)).to.deep.equal([pointer]);
    });
  }

  it('names keys that differ only in case differently', () => {
    const metadata = ['Ab3dEf6h', 'aB3dEf6h'].map((keyId) => document({ keyId })['metadata']);
    expect(metadata[0]).to.not.deep.equal(metadata[1]);
  });
});

function unlimited(): ApiKeyRecord {
  const { cidrs: _, ...stored } = record();
  return { ...stored, cidrs: [] };
}

describe('checkKey', () => {
  const right = new Uint8Array(32).fill(0xab);
  const at = (now: number, address = '10.1.2.3', sha256 = right): Parameters<typeof checkKey>[1] => ({
    now,
    address,
    sha256,
  });
  const rows: readonly (readonly [string, ApiKeyRecord | undefined, Parameters<typeof checkKey>[1], string])[] = [
    ['the right secret', record(), at(NOW), 'ok'],
    ['an unknown key', undefined, at(NOW), 'unauthenticated'],
    ['an unknown key whose hash is all zeros', undefined, at(NOW, '10.1.2.3', new Uint8Array(32)), 'unauthenticated'],
    ['a wrong secret', record(), at(NOW, '10.1.2.3', new Uint8Array(32).fill(0xac)), 'unauthenticated'],
    ['the last millisecond', record(), at(NOW + 90 * DAY - 1), 'ok'],
    ['the expiry itself', record(), at(NOW + 90 * DAY), 'unauthenticated'],
    ['the millisecond before the start', record(), at(NOW - 1), 'unauthenticated'],
    ['an address outside', record(), at(NOW, '192.0.2.1'), 'cidr'],
    ['a wrong secret from outside', record(), at(NOW, '192.0.2.1', new Uint8Array(32)), 'unauthenticated'],
    ['an expired key from outside', record(), at(NOW + 90 * DAY, '192.0.2.1'), 'unauthenticated'],
    ['an address that is none', record(), at(NOW, ''), 'cidr'],
    ['any address without a limit', unlimited(), at(NOW, '192.0.2.1'), 'ok'],
    ['an address outside the only block', record({ cidrs: ['10.0.0.0/8'] }), at(NOW, '192.0.2.1'), 'cidr'],
  ];
  for (const [why, stored, presented, expected] of rows) {
    it(`answers ${expected} to ${why}`, () => {
      expect(checkKey(stored, presented)).to.equal(expected);
    });
  }

  it('calls a key current from its start to just before its expiry', () => {
    const moments = [NOW - 1, NOW, NOW + 90 * DAY - 1, NOW + 90 * DAY];
    expect(moments.map((now) => isCurrent(record(), now))).to.deep.equal([false, true, true, false]);
  });
});

describe('isScope', () => {
  it('knows the scopes and nothing else', () => {
    expect(SCOPES.every(isScope)).to.equal(true);
    expect(['', 'orbs', 'orbs:execute ', 'ADMIN', 'constructor', '*'].some(isScope)).to.equal(false);
  });
});
