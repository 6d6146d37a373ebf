import { expect } from 'chai';
import fc from 'fast-check';
import { gunzip } from '../../../../adapters/gzip/gzip.ts';
import { verifyCertificate, type CertificateOptions } from '../../../../core/verify/verify-certificate.ts';
import type { KeysDocument } from '../../../../core/receipt/keys-document.ts';
import type { Verification } from '../../../../core/verify/verdict.ts';
import { keys, primitives } from './a-world.ts';
import { aCredential, aJwt, aStatusList, certificateKeys, ISSUED_AT, signRaw } from './a-certificate.ts';

const HEADER = { alg: 'Ed25519', cty: 'vc', kid: keys.certificate.kid, typ: 'vc+jwt' };

const verified = (
  jws: string,
  options: CertificateOptions = {},
  document: KeysDocument = certificateKeys(),
): Promise<Verification> =>
  verifyCertificate({ jws, proof: null, document }, { allowUnlogged: true, ...options }, primitives);

const withList = (jwt: string): CertificateOptions => ({ statusList: { jwt, gunzip } });

describe('verifyCertificate', () => {
  it('accepts a good one', async () => {
    const { verdict, certificate, signatureValid } = await verified(aJwt(), withList(aStatusList()));
    expect([verdict, signatureValid]).to.deep.equal(['valid', true]);
    expect(certificate).to.deep.equal(aCredential());
  });

  it('accepts none with any one character changed', async () => {
    const jwt = aJwt();
    const accepted: number[] = [];
    for (let at = 0; at < jwt.length; at += 1) {
      const changed = `${jwt.slice(0, at)}${jwt[at] === 'A' ? 'B' : 'A'}${jwt.slice(at + 1)}`;
      if ((await verified(changed)).verdict === 'valid') accepted.push(at);
    }
    expect(accepted).to.deep.equal([]);
  });

  it('never throws, whatever certificate, proof and list are', async () => {
    const jwts = fc.oneof(fc.string(), fc.constantFrom(aJwt(), aStatusList(), `${aJwt()}.`, '..', ''));
    await fc.assert(
      fc.asyncProperty(jwts, fc.option(fc.string()), jwts, async (jws, proof, list) => {
        const subject = { jws, proof, document: certificateKeys() };
        const judged = await verifyCertificate(subject, withList(list), primitives);
        expect(judged.verdict).to.be.a('string');
        if (proof !== null) expect(judged.verdict).not.to.equal('valid');
      }),
      { numRuns: 300 },
    );
  });

  const payloads: readonly (readonly [string, string, string])[] = [
    ['no JSON', '{', 'payload'],
    ['no object', '[]', 'payload'],
    ['white space', '{ "a":1}', 'not_canonical'],
    ['a name twice', '{"a":1,"a":1}', 'not_canonical'],
    ['a lone surrogate', String.raw`{"a":"\ud800"}`, 'not_canonical'],
    ['a hundred thousand levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'not_canonical'],
    ['another object', '{"a":1}', 'schema'],
    ['a number that is no integer, which the profile would forbid', '{"a":0.5}', 'schema'],
  ];
  for (const [what, payload, code] of payloads) {
    it(`is undecidable (${code}) with ${what}, although it is signed`, async () => {
      const judged = await verified(signRaw(HEADER, payload, keys.certificate));
      expect([judged.verdict, judged.code]).to.deep.equal(['undecidable', code]);
    });
  }

  it('is no status list', async () => {
    expect((await verified(aStatusList())).code).to.equal('schema');
  });

  const lists: readonly (readonly [string, string, KeysDocument, string])[] = [
    [
      'signed before its key was in use',
      aStatusList({ issuedAt: ISSUED_AT - 3_600_000 }),
      certificateKeys({ not_before: '2026-11-20T00:00:00.000Z' }),
      'key_window',
    ],
    ['of the future', aStatusList({ issuedAt: primitives.now() + 120_000 }), certificateKeys(), 'not_yet_valid'],
    ['that is none', 'x', certificateKeys(), 'malformed'],
  ];
  for (const [what, list, document, code] of lists) {
    it(`says nothing good by a list ${what}: ${code}`, async () => {
      const judged = await verified(aJwt(), withList(list), document);
      expect(judged.code).to.equal(code);
      expect(judged.checks.at(-1)).to.deep.equal({ id: 'status_list', ok: false, code });
    });
  }

  it('lists the verdict of the certificate before that of the list', async () => {
    const late = { ...primitives, now: () => ISSUED_AT + 8 * 86_400_000 };
    const subject = { jws: aJwt(), proof: null, document: certificateKeys() };
    const judged = await verifyCertificate(subject, { allowUnlogged: true, ...withList('x') }, late);
    expect([judged.code, judged.checks.at(-1)?.code]).to.deep.equal(['expired', 'malformed']);
  });
});
