import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { compactVerify, importJWK } from 'jose';
import { gunzip, gzip } from '../../../../adapters/gzip/gzip.ts';
import { certificateEntry } from '../../../../core/certificate/certificate-entry.ts';
import { contextDocument } from '../../../../core/certificate/context.ts';
import { isCredential } from '../../../../core/certificate/credential-schema.ts';
import {
  LIST_BITS,
  listOfIndex,
  makeCredential,
  orbIdOf,
  statusIndexOf,
} from '../../../../core/certificate/credential.ts';
import { credentialIn } from '../../../../core/certificate/read-credential.ts';
import { sealCertificate, sealStatusList } from '../../../../core/certificate/seal.ts';
import {
  bitAt,
  bitsOf,
  isStatusList,
  LIST_BYTES,
  makeStatusList,
  withBit,
  type StatusListCredential,
} from '../../../../core/certificate/status-list.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import { keys } from '../verify/a-world.ts';
import { aCredential, aJwt, aStatusList, FACTS, ISSUED_AT, toolsOf } from '../verify/a-certificate.ts';

const object = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const copy = (): JsonObject => structuredClone(aCredential());

const subject = (some: JsonObject): JsonObject => ({
  credentialSubject: { ...object(copy()['credentialSubject']), ...some },
});
const evidence = (some: JsonObject): JsonObject =>
  subject({ evidence: { ...object(object(copy()['credentialSubject'])['evidence']), ...some } });
const status = (some: JsonObject): JsonObject => ({
  credentialStatus: { ...object(copy()['credentialStatus']), ...some },
});

const packed = (bytes: Uint8Array): string => `u${Buffer.from(gzip(bytes)).toString('base64url')}`;

describe('makeCredential', () => {
  it('is the form of trust.md §6.1', () => {
    expect(aCredential()).to.deep.equal({
      '@context': ['https://www.w3.org/ns/credentials/v2', 'https://orbs.example/.well-known/orb-context/v1'],
      type: ['VerifiableCredential', 'OrbCertificationCredential'],
      id: 'https://orbs.example/reputation/acme.echo@1.2.0/certificate#2026-11-20T00:03:11Z',
      issuer: 'https://orbs.example',
      validFrom: '2026-11-20T00:03:11Z',
      validUntil: '2026-11-27T00:03:11Z',
      credentialSubject: { id: 'urn:orb:acme.echo@1.2.0', ...FACTS.subject },
      credentialStatus: {
        id: 'https://orbs.example/.well-known/orb-status-list/1#94567',
        type: 'BitstringStatusListEntry',
        statusPurpose: 'revocation',
        statusListIndex: '94567',
        statusListCredential: 'https://orbs.example/.well-known/orb-status-list/1',
      },
    });
  });

  const places: readonly (readonly [number, number, string])[] = [
    [0, 1, '0'],
    [LIST_BITS - 1, 1, '131071'],
    [LIST_BITS, 2, '0'],
    [3 * LIST_BITS + 5, 4, '5'],
  ];
  for (const [index, list, place] of places) {
    it(`puts bit ${index} into list ${list} at ${place}, and back`, () => {
      const credential = aCredential({ statusIndex: index });
      expect(credential.credentialStatus.statusListIndex).to.equal(place);
      expect(credential.credentialStatus.statusListCredential).to.match(new RegExp(`/${list}$`));
      expect([listOfIndex(index), statusIndexOf(credential)]).to.deep.equal([list, index]);
      expect(isCredential(structuredClone(credential))).to.equal(true);
    });
  }
});

describe('isCredential', () => {
  it('accepts what is issued', () => {
    expect(isCredential(copy())).to.equal(true);
  });

  it('accepts no certificate with a member too many or too few, at any place', () => {
    const places = ['', 'credentialSubject', 'credentialStatus'] as const;
    for (const place of places) {
      const at = (value: JsonObject): JsonObject => (place === '' ? value : object(value[place]));
      for (const name of Object.keys(at(copy()))) {
        const less = copy();
        Reflect.deleteProperty(at(less), name);
        expect(isCredential(less), `${place} without ${name}`).to.equal(false);
      }
      const more = copy();
      Object.assign(at(more), { more: 1 });
      expect(isCredential(more), `${place} with more`).to.equal(false);
    }
    const more = copy();
    Object.assign(object(object(more['credentialSubject'])['evidence']), { more: 1 });
    expect(isCredential(more)).to.equal(false);
  });

  const wrong: readonly (readonly [string, JsonObject])[] = [
    ['no tier', subject({ tier: 'uncertified' })],
    ['a state without certificate', subject({ tier_status: 'suspended' })],
    ['a score beyond 100', subject({ reputation_score: 101 })],
    ['half a score', subject({ reputation_score: 96.5 })],
    ['another subject', subject({ id: 'urn:orb:acme.other@1.2.0' })],
    ['no urn', subject({ id: 'acme.echo@1.2.0' })],
    ['a short digest', subject({ manifest_digest: 'sha256:ab' })],
    ['a foreign formula', subject({ algorithm: 'stars/1' })],
    ['an empty tree', evidence({ tree_size: 0 })],
    ['a root that is none', evidence({ root_hash: 'x' })],
    ['a day that is none', evidence({ as_of: '2026-02-30' })],
    ['no origin as issuer', { issuer: 'https://orbs.example/x' }],
    ['a time with milliseconds', { validFrom: '2026-11-20T00:03:11.000Z' }],
    ['a time that does not exist', { validUntil: '2026-11-31T00:03:11Z' }],
    ['an end before its begin', { validUntil: '2026-11-20T00:03:11Z' }],
    ['another vocabulary', { '@context': ['https://www.w3.org/ns/credentials/v2', 'https://evil.example/v1'] }],
    ['another order of types', { type: ['OrbCertificationCredential', 'VerifiableCredential'] }],
    [
      'a list elsewhere',
      status({
        statusListCredential: 'https://evil.example/.well-known/orb-status-list/1',
        id: 'https://evil.example/.well-known/orb-status-list/1#94567',
      }),
    ],
    [
      'a place beyond the list',
      status({ statusListIndex: '131072', id: 'https://orbs.example/.well-known/orb-status-list/1#131072' }),
    ],
    ['two places', status({ statusListIndex: '94568' })],
  ];
  for (const [what, some] of wrong) {
    it(`refuses ${what}`, () => {
      expect(isCredential({ ...copy(), ...some })).to.equal(false);
    });
  }
});

describe('sealCertificate', () => {
  it('is what jose verifies, with exactly this header', async () => {
    const { jwt } = sealCertificate(aCredential(), toolsOf(keys.certificate));
    const { payload, protectedHeader } = await compactVerify(
      jwt,
      await importJWK({ ...keys.certificate.jwk, alg: 'Ed25519' }),
    );
    expect(protectedHeader).to.deep.equal({ alg: 'Ed25519', cty: 'vc', kid: keys.certificate.kid, typ: 'vc+jwt' });
    expect(JSON.parse(Buffer.from(payload).toString())).to.deep.equal(aCredential());
    expect(credentialIn(jwt)).to.deep.equal(aCredential());
    expect(jwt).to.equal(aJwt());
  });

  it('gives the entry of the log, which follows from the certificate', () => {
    const { jwt, entry } = sealCertificate(aCredential(), toolsOf(keys.certificate));
    const { sha256Hex } = toolsOf(keys.certificate);
    expect(entry).to.equal(certificateEntry(aCredential(), sha256Hex(jwt)));
    expect(readEntry(entry)).to.include({
      kind: 'certificate',
      orb_id: orbIdOf(aCredential()),
      tier: 'gold',
      valid_until: '2026-11-27T00:03:11.000Z',
      status_index: 94_567,
      at: '2026-11-20T00:03:11.000Z',
    });
  });

  it('signs nothing that no verifier would accept', () => {
    const wrong = makeCredential({ ...FACTS, orbId: 'no-id' });
    expect(() => sealCertificate(wrong, toolsOf(keys.certificate))).to.throw(TypeError);
  });
});

describe('status lists', () => {
  const facts = { issuer: FACTS.issuer, list: 3, issuedAt: ISSUED_AT };
  const empty = new Uint8Array(LIST_BYTES);

  it('hold 131 072 bits, the first one the most significant', async () => {
    const list = makeStatusList({ ...facts, bits: withBit(withBit(empty, 0), 10) }, gzip);
    const { encodedList } = list.credentialSubject;
    expect(encodedList.startsWith('u')).to.equal(true);
    const bytes = gunzipSync(Buffer.from(encodedList.slice(1), 'base64url'));
    expect(bytes.length).to.equal(16_384);
    expect([...bytes.subarray(0, 3)]).to.deep.equal([0b1000_0000, 0b0010_0000, 0]);
    const bits = (await bitsOf(list, gunzip)) ?? empty;
    expect([0, 1, 9, 10, 11, LIST_BITS - 1].map((place) => bitAt(bits, place))).to.deep.equal([
      true,
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  it('keep every bit', async () => {
    for (const place of [0, 7, 8, 94_567, LIST_BITS - 1]) {
      const bits = (await bitsOf(makeStatusList({ ...facts, bits: withBit(empty, place) }, gzip), gunzip)) ?? empty;
      expect(bits.reduce((sum, byte) => sum + byte, 0)).to.equal(1 << (7 - (place % 8)));
      expect(bitAt(bits, place)).to.equal(true);
    }
  });

  it('are valid for 48 hours and jose verifies them', async () => {
    const key = await importJWK({ ...keys.certificate.jwk, alg: 'Ed25519' });
    const { payload } = await compactVerify(aStatusList(), key);
    const value: unknown = JSON.parse(Buffer.from(payload).toString());
    expect(value).to.include({
      id: 'https://orbs.example/.well-known/orb-status-list/1',
      validFrom: '2026-11-20T00:03:11Z',
      validUntil: '2026-11-22T00:03:11Z',
    });
    expect(value).to.have.nested.property('credentialSubject.statusPurpose', 'revocation');
  });

  it('are refused with fewer bits', () => {
    expect(() => makeStatusList({ ...facts, bits: new Uint8Array(100) }, gzip)).to.throw(RangeError);
    const list = makeStatusList({ ...facts, bits: empty }, gzip);
    expect(() => sealStatusList({ ...list, issuer: 'x' }, toolsOf(keys.certificate))).to.throw(TypeError);
  });

  const encoded = (encodedList: string): StatusListCredential => {
    const list = makeStatusList({ ...facts, bits: empty }, gzip);
    return { ...list, credentialSubject: { ...list.credentialSubject, encodedList } };
  };
  const wrong: readonly (readonly [string, string])[] = [
    ['no gzip', 'uAAAA'],
    ['too few bits', packed(new Uint8Array(1000))],
    ['bits that fill the memory', packed(new Uint8Array(64 * 1024 * 1024))],
    ['other trailing bits of base64url', 'uAB'],
  ];
  for (const [what, text] of wrong) {
    it(`have no bits with ${what}`, async () => {
      expect(await bitsOf(encoded(text), gunzip)).to.equal(undefined);
    });
  }

  it('are closed objects', () => {
    const list: JsonObject = makeStatusList({ ...facts, bits: empty }, gzip);
    expect(isStatusList(list)).to.equal(true);
    expect(isStatusList({ ...list, more: 1 })).to.equal(false);
    expect(isStatusList({ ...list, id: 'https://evil.example/1' })).to.equal(false);
    expect(isStatusList(encoded(`z${packed(empty).slice(1)}`))).to.equal(false);
  });
});

describe('contextDocument', () => {
  it('has a term for each member of subject and evidence, and protects none', () => {
    const terms = object(contextDocument(FACTS.issuer)['@context']);
    const { id: _id, ...members } = aCredential().credentialSubject;
    expect(terms).to.include.keys(...Object.keys(members), 'OrbCertificationCredential');
    expect(object(object(terms['evidence'])['@context'])).to.have.keys(Object.keys(members.evidence));
    expect(JSON.stringify(terms)).not.to.include('@protected');
  });
});
