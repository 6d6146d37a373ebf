import { expect } from 'chai';
import fc from 'fast-check';
import { calculateJwkThumbprint, CompactSign, compactVerify, importJWK } from 'jose';
import { sha256 } from '../../../../adapters/keys/primitives.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { checkHeader, parseJws, signJws, type JwsHeader } from '../../../../core/receipt/jws.ts';
import { thumbprint } from '../../../../core/receipt/keys-document.ts';
import { sealReceipt } from '../../../../core/receipt/seal.ts';
import { serialiseRecord } from '../../../../core/receipt/serialise.ts';
import { anyRecord } from './a-record.ts';
import { textAt } from '../../../support/members.ts';
import { jwkOf, privateKeyOf, receiptVectors, vectorSealing } from './vectors.ts';

const b64u = (text: string): string => Buffer.from(text).toString('base64url');
const signature = Buffer.alloc(64).toString('base64url');

describe('signJws, by the judgement of jose', () => {
  it('signs every receipt so that another implementation verifies it and reads the same payload', async () => {
    const key = await importJWK({ ...jwkOf('receipt_active'), alg: 'Ed25519' }, 'Ed25519');
    await fc.assert(
      fc.asyncProperty(anyRecord, async (record) => {
        const { jws } = sealReceipt(record, vectorSealing);
        const verified = await compactVerify(jws, key, { algorithms: ['Ed25519'] });
        expect(Buffer.from(verified.payload).toString()).to.equal(serialiseRecord(record));
        expect(verified.protectedHeader).to.deep.equal({
          alg: 'Ed25519',
          kid: vectorSealing.signer.kid,
          typ: 'orb-receipt+jws',
        });
      }),
    );
  });

  it('writes the very bytes that another implementation writes', async () => {
    const { signer, encoding } = vectorSealing;
    const made = await new CompactSign(Buffer.from('{"a":1}'))
      .setProtectedHeader({ alg: 'Ed25519', kid: signer.kid, typ: 'orb-keys+jws' })
      .sign(privateKeyOf('receipt_active'));
    expect(signJws('{"a":1}', 'orb-keys+jws', signer, encoding)).to.equal(made);
  });

  for (const name of ['receipt_active', 'log', 'root']) {
    it(`names the key ${name} by the thumbprint that RFC 7638 gives it`, async () => {
      const jwk = jwkOf(name);
      expect(thumbprint(jwk, sha256)).to.equal(await calculateJwkThumbprint(jwk));
      expect(thumbprint(jwk, sha256)).to.equal(textAt(receiptVectors, 'keys', name, 'kid'));
    });
  }
});

describe('parseJws (trust.md §1.2)', () => {
  const rows: readonly [string, string][] = [
    ['nothing', ''],
    ['two parts', `${b64u('{}')}.${b64u('{}')}`],
    ['four parts', `${b64u('{}')}.${b64u('{}')}.${signature}.${signature}`],
    ['an empty payload', `${b64u('{}')}..${signature}`],
    ['an empty signature', `${b64u('{}')}.${b64u('{}')}.`],
    ['a signature of 63 bytes', `${b64u('{}')}.${b64u('{}')}.${Buffer.alloc(63).toString('base64url')}`],
    ['a signature of 65 bytes', `${b64u('{}')}.${b64u('{}')}.${Buffer.alloc(65).toString('base64url')}`],
    ['a signature with other trailing bits', `${b64u('{}')}.${b64u('{}')}.${signature.slice(0, -1)}B`],
    ['padding', `${b64u('{}')}.${b64u('{}')}=.${signature}`],
    ['the alphabet of plain base64', `${b64u('{}')}.${b64u('{}')}.${'+'.repeat(86)}`],
    ['white space around it', ` ${b64u('{}')}.${b64u('{}')}.${signature}`],
    ['a final newline', `${b64u('{}')}.${b64u('{}')}.${signature}\n`],
    ['a header that is a list', `${b64u('[]')}.${b64u('{}')}.${signature}`],
    ['a header that is null', `${b64u('null')}.${b64u('{}')}.${signature}`],
    ['a header that is no JSON', `${b64u('{')}.${b64u('{}')}.${signature}`],
    ['a header with a byte order mark', `${b64u('\ufeff{}')}.${b64u('{}')}.${signature}`],
    ['a header that is not UTF-8', `${Buffer.of(0x7b, 0xff, 0x7d).toString('base64url')}.${b64u('{}')}.${signature}`],
  ];
  for (const [why, text] of rows) {
    it(`refuses ${why}`, () => expect(parseJws(text)).to.equal(undefined));
  }

  it('never throws, and gives back only what encodes to the same text', () => {
    const part = fc.string({ unit: fc.constantFrom(...'ABCabc019-_=.+/ \n'.split('')), maxLength: 100 });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(part, part, part).map((parts) => parts.join('.')),
        ),
        (text) => {
          const parts = parseJws(text);
          if (parts === undefined) return;
          const [head] = text.split('.');
          expect(`${head}.${Buffer.from(parts.payload).toString('base64url')}`).to.equal(
            Buffer.from(parts.signingInput).toString(),
          );
        },
      ),
    );
  });
});

const headerOf = (members: JsonObject): JwsHeader => ({ members, text: JSON.stringify(members) });

describe('checkHeader (trust.md §3.2, row 4)', () => {
  const good = { alg: 'Ed25519', kid: 'k', typ: 'orb-receipt+jws' };
  const rows: readonly [string, JsonObject, string][] = [
    ['no typ', { alg: 'Ed25519', kid: 'k' }, 'wrong_type'],
    ['another typ', { ...good, typ: 'vc+jwt' }, 'wrong_type'],
    ['a typ in capitals', { ...good, typ: 'ORB-RECEIPT+JWS' }, 'wrong_type'],
    ['another typ before another alg', { ...good, typ: 'JWT', alg: 'none' }, 'wrong_type'],
    ['the deprecated name of the algorithm', { ...good, alg: 'EdDSA' }, 'unsupported_alg'],
    ['none', { ...good, alg: 'none' }, 'unsupported_alg'],
    ['a list as alg', { ...good, alg: ['Ed25519'] }, 'unsupported_alg'],
    ['another alg before an embedded key', { ...good, alg: 'HS256', jwk: {} }, 'unsupported_alg'],
    ...['jwk', 'jku', 'x5c', 'x5u', 'x5t', 'x5t#S256'].map((name): [string, JsonObject, string] => [
      name,
      { ...good, [name]: null },
      'embedded_key',
    ]),
    ['an embedded key before an unknown member', { ...good, crit: ['b64'], jwk: {} }, 'embedded_key'],
    ['crit', { ...good, crit: [] }, 'unsupported_header'],
    ['b64', { ...good, b64: false }, 'unsupported_header'],
    ['the cty of a credential', { ...good, cty: 'vc' }, 'unsupported_header'],
    ['an own __proto__', Object.fromEntries([...Object.entries(good), ['__proto__', {}]]), 'unsupported_header'],
    ['no kid', { alg: 'Ed25519', typ: 'orb-receipt+jws' }, 'unknown_key'],
    ['a number as kid', { ...good, kid: 1 }, 'unknown_key'],
  ];
  for (const [why, header, fault] of rows) {
    it(`refuses ${why} as ${fault}`, () =>
      expect(checkHeader(headerOf(header), 'orb-receipt+jws')).to.deep.equal({ fault }));
  }

  const credential = { alg: 'Ed25519', cty: 'vc', kid: 'k', typ: 'vc+jwt' };
  const credentials: readonly [string, JsonObject, JsonObject][] = [
    ['takes the one header', credential, { kid: 'k' }],
    ['refuses no cty', { alg: 'Ed25519', kid: 'k', typ: 'vc+jwt' }, { fault: 'unsupported_header' }],
    ['refuses another cty', { ...credential, cty: 'vc+ld+json' }, { fault: 'unsupported_header' }],
    ['refuses another member', { ...credential, crit: [] }, { fault: 'unsupported_header' }],
    ['refuses the type of a receipt', { ...credential, typ: 'orb-receipt+jws' }, { fault: 'wrong_type' }],
  ];
  for (const [what, header, result] of credentials) {
    it(`${what} of a credential`, () => expect(checkHeader(headerOf(header), 'vc+jwt')).to.deep.equal(result));
  }

  const text = JSON.stringify(good);
  const spellings: readonly [string, string][] = [
    ['white space', text.replace(':', ': ')],
    ['another order', '{"kid":"k","alg":"Ed25519","typ":"orb-receipt+jws"}'],
    ['a member twice', text.replace('{', '{"kid":"other",')],
    ['an escape in a name', text.replace('"kid"', '"\\u006bid"')],
    ['an escape in a value', text.replace('"k"', '"\\u006b"')],
  ];
  for (const [why, other] of spellings) {
    it(`refuses a header with ${why}: there is one form only`, () => {
      const read = parseJws(`${b64u(other)}.${b64u('{}')}.${signature}`);
      expect(read && checkHeader(read.header, 'orb-receipt+jws')).to.deep.equal({ fault: 'unsupported_header' });
    });
  }

  it('takes the one form, and says whose key it names', () => {
    expect(checkHeader(headerOf(good), 'orb-receipt+jws')).to.deep.equal({ kid: 'k' });
  });
});
