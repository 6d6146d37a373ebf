import { expect } from 'chai';
import fc from 'fast-check';
import { gunzip, gzip } from '../../../../adapters/gzip/gzip.ts';
import { verifyCertificate, type CertificateOptions } from '../../../../core/verify/verify-certificate.ts';
import type { KeysDocument } from '../../../../core/receipt/keys-document.ts';
import type { Verification } from '../../../../core/verify/verdict.ts';
import { keys, primitives } from './a-world.ts';
import { LIST_BYTES } from '../../../../core/certificate/status-list.ts';
import { aCredential, aJwt, aStatusList, certificateKeys, ISSUED_AT, signRaw, STATUS_INDEX } from './a-certificate.ts';

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
    ['in which it is revoked', aStatusList({ revoked: STATUS_INDEX }), certificateKeys(), 'revoked'],
    ['of another issuer', aStatusList({ issuer: 'https://other.example' }), certificateKeys(), 'issuer'],
    ['of other certificates', aStatusList({ list: 2 }), certificateKeys(), 'wrong_type'],
    ['that is over', aStatusList({ issuedAt: primitives.now() - 49 * 3_600_000 }), certificateKeys(), 'expired'],
    ['signed by a key of another role', aStatusList({ signer: keys.receipt }), certificateKeys(), 'unknown_key'],
    ['that is a certificate', aJwt(), certificateKeys(), 'schema'],
    ['whose bits are not packed', aStatusList({ pack: (bits) => bits }), certificateKeys(), 'schema'],
    ['of too few bits', aStatusList({ pack: (bits) => gzip(bits.subarray(1)) }), certificateKeys(), 'schema'],
  ];
  for (const [what, list, document, code] of lists) {
    it(`says nothing good by a list ${what}: ${code}`, async () => {
      const judged = await verified(aJwt(), withList(list), document);
      expect(judged.code).to.equal(code);
      expect(judged.checks.at(-1)).to.deep.equal({ id: 'status_list', ok: false, code });
    });
  }

  it('says nothing bad by a list in which only its neighbours are revoked', async () => {
    for (const place of [STATUS_INDEX - 1, STATUS_INDEX + 1, 0])
      expect((await verified(aJwt(), withList(aStatusList({ revoked: place })))).code).to.equal('ok');
  });

  it('has the last place of a list, and none behind it', async () => {
    const last = LIST_BYTES * 8 - 1;
    const facts = { facts: { statusIndex: last } };
    expect((await verified(aJwt(facts), withList(aStatusList()))).code).to.equal('ok');
    expect((await verified(aJwt(facts), withList(aStatusList({ revoked: last })))).code).to.equal('revoked');
    const behind = aJwt({
      payload: (credential) => ({
        ...credential,
        credentialStatus: { ...credential.credentialStatus, statusListIndex: String(last + 1) },
      }),
    });
    expect((await verified(behind, withList(aStatusList()))).code).to.equal('schema');
  });

  it('needs a proof, unless the caller asks for none', async () => {
    const judged = await verified(aJwt(), { allowUnlogged: false });
    expect([judged.verdict, judged.code]).to.deep.equal(['untrusted', 'not_in_log']);
  });

  it('is not trusted when it names another issuer than the keys', async () => {
    const document = { ...certificateKeys(), issuer: 'https://other.example' };
    const judged = await verified(aJwt(), {}, document);
    expect([judged.verdict, judged.code]).to.deep.equal(['untrusted', 'issuer']);
  });

  it('names its key, also when the signature is wrong', async () => {
    const key = { kid: keys.certificate.kid, status: 'active' };
    expect((await verified(aJwt())).key).to.deep.equal(key);
    const forged = await verified(aJwt({ signer: { ...keys.stranger, kid: keys.certificate.kid } }));
    expect([forged.code, forged.key, forged.certificate]).to.deep.equal(['signature', key, undefined]);
    expect((await verified(aJwt({ signer: keys.stranger }))).key).to.equal(undefined);
  });

  const ROWS = ['bundle', 'keys', 'jws', 'record', 'issuer', 'inclusion', 'key_window', 'key_status'];

  it('lists each row by its name, that of a badge only for a badge', async () => {
    const plain = await verified(aJwt(), withList(aStatusList()));
    expect(plain.checks.map(({ id }) => id)).to.deep.equal([...ROWS, 'validity', 'status_list']);
    expect(plain.checks.filter(({ ok }) => ok === null).map(({ id }) => id)).to.deep.equal([
      'bundle',
      'keys',
      'inclusion',
    ]);
    const badge = await verified(aJwt(), { badge: () => 'pass' });
    expect(badge.checks.map(({ id }) => id)).to.deep.equal([...ROWS, 'badge', 'validity', 'status_list']);
    expect(badge.checks.at(-1)).to.deep.equal({ id: 'status_list', ok: null });
  });

  it('tells what the certificate of a badge is worth without its image', async () => {
    const changed = await verified(aJwt(), { badge: () => 'badge_mismatch' });
    expect([changed.verdict, changed.code, changed.withoutBadge]).to.deep.equal([
      'tampered',
      'badge_mismatch',
      { verdict: 'valid', code: 'ok' },
    ]);
    const revoked = await verified(aJwt(), {
      badge: () => 'badge_unknown',
      ...withList(aStatusList({ revoked: STATUS_INDEX })),
    });
    expect([revoked.code, revoked.withoutBadge]).to.deep.equal([
      'badge_unknown',
      { verdict: 'untrusted', code: 'revoked' },
    ]);
    expect((await verified(aJwt())).withoutBadge).to.equal(undefined);
  });

  it('lists the verdict of the certificate before that of the list', async () => {
    const late = { ...primitives, now: () => ISSUED_AT + 8 * 86_400_000 };
    const subject = { jws: aJwt(), proof: null, document: certificateKeys() };
    const judged = await verifyCertificate(subject, { allowUnlogged: true, ...withList('x') }, late);
    expect([judged.code, judged.checks.at(-1)?.code]).to.deep.equal(['expired', 'malformed']);
  });
});
