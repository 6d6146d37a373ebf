import { expect } from 'chai';
import { ed25519Verify, sha256 } from '../../../../../adapters/keys/primitives.ts';
import { receiptRoutes } from '../../../../../api-server/services/receipts/receipt-routes.ts';
import { createReceiptVerifier } from '../../../../../api-server/services/receipts/verify-stored.ts';
import { aCaller, startApp, TEST_NOW, type Called, type TestApp } from '../../../../support/api-app.ts';
import { vectorCase, vectorKeys, vectorReceipt, type VectorReceipt } from '../../../../support/vector-receipts.ts';

const clock = { now: () => TEST_NOW };
const verifier = createReceiptVerifier(vectorKeys.document, { sha256, ed25519Verify, now: clock.now });

async function startWith(receipt: VectorReceipt, caller = aCaller()): Promise<TestApp> {
  const source = { ledger: receipt.ledger, verifier, clock, keysJws: vectorKeys.keysJws };
  return startApp(receiptRoutes(source), { caller });
}

const good = vectorCase('active key, proof').input.bundle;
const GOOD = vectorReceipt(good.jws, good.tlog_proof);
const PENDING = vectorReceipt(good.jws, null);
const PATH = `/receipts/${GOOD.stored.receiptId}`;

/** One request to a server of its own. */
async function ask(receipt: VectorReceipt, accept?: string, more: Record<string, string> = {}): Promise<Called> {
  const app = await startWith(receipt);
  const headers = { ...(accept === undefined ? {} : { accept }), ...more };
  const answer = await app.call('GET', `/receipts/${receipt.stored.receiptId}`, { headers });
  await app.close();
  return answer;
}

const etagOf = async (receipt: VectorReceipt, accept?: string): Promise<string> =>
  (await ask(receipt, accept)).headers.get('etag') ?? '';

describe('GET /receipts/{receipt_id}', () => {
  it('shows summary, record, JWS, log position and verification', async () => {
    const { value, headers } = await ask(GOOD);
    expect(value).to.deep.include({
      receipt_id: GOOD.stored.receiptId,
      trust_score: 100,
      risk_level: 'low',
      signature_valid: true,
      timestamp: '2026-11-20T10:00:00.250Z',
      jws: good.jws,
      log: { origin: 'orbs.example/log', index: 2, tree_size: 20, proof_url: `${PATH}/proof` },
    });
    expect(value).to.have.nested.property('record.orb.id', 'acme.echo@1.2.0');
    expect(value).to.have.nested.property('verification.verdict', 'valid');
    expect(value).to.have.nested.property('verification.code', 'ok');
    expect(value).to.have.nested.property('verification.key.status', 'active');
    expect(value).to.have.nested.property('verification.verified_at', '2026-11-20T10:00:00.000Z');
    expect(headers.get('cache-control')).to.equal('private, no-cache');
    expect(headers.get('vary')).to.equal('Accept');
  });

  const verdicts: [string, string, boolean][] = [
    ['active key, proof', 'valid ok', true],
    ['proof against an older checkpoint', 'valid ok', true],
    ['retired key, issued inside its window', 'valid ok', true],
    ['retired key, issued after its window', 'untrusted key_window', true],
    ['revoked key, entry before the revocation', 'valid ok', true],
    ['revoked key, entry after the revocation', 'untrusted key_revoked', true],
    ['checkpoint by an unknown log key', 'untrusted checkpoint', true],
    ['proof of another entry', 'untrusted inclusion', true],
    ['receipt altered', 'tampered signature', false],
    ['trust_score does not follow from the checks', 'untrusted score_mismatch', true],
    ['issuer differs from the keys document', 'untrusted issuer', true],
    ['entry of an unpublished Orb (receipt_private)', 'valid ok', true],
  ];
  for (const [name, expected, signed] of verdicts) {
    it(`finds on every read: ${name} is ${expected}`, async () => {
      const { jws, tlog_proof: proof } = vectorCase(name).input.bundle;
      const { value } = await ask(vectorReceipt(jws, proof));
      const [verdict, code] = expected.split(' ');
      expect(value).to.have.nested.property('verification.verdict', verdict);
      expect(value).to.have.nested.property('verification.code', code);
      expect(value).to.have.property('signature_valid', signed);
    });
  }

  it('does not hold a pending entry against a receipt', async () => {
    const { value } = await ask(PENDING);
    expect(value).to.have.property('log', null);
    expect(value).to.have.nested.property('verification.verdict', 'valid');
    expect(value).to.have.nested.property('verification.checks').that.deep.includes({ id: 'inclusion', ok: null });
  });

  const forms: [string, string | undefined, string][] = [
    ['no header', undefined, 'application/json'],
    ['anything', '*/*', 'application/json'],
    ['the JWS', 'application/jose', 'application/jose'],
    ['the bundle', 'application/vnd.orb.bundle+json', 'application/vnd.orb.bundle+json'],
    ['the preferred of two', 'application/json;q=0.1, application/jose', 'application/jose'],
  ];
  for (const [why, accept, expected] of forms) {
    it(`serves ${why} as ${expected}`, async () => {
      expect((await ask(GOOD, accept)).headers.get('content-type')).to.equal(expected);
    });
  }

  it('serves as application/jose the very string that was signed', async () => {
    expect((await ask(GOOD, 'application/jose')).value).to.equal(good.jws);
  });

  it('serves a bundle with everything that offline verification needs', async () => {
    const accept = 'application/vnd.orb.bundle+json';
    const bundle = { format: 'orb-bundle/1', jws: good.jws, tlog_proof: good.tlog_proof, keys_jws: vectorKeys.keysJws };
    expect((await ask(GOOD, accept)).value).to.deep.equal(bundle);
    expect((await ask(PENDING, accept)).value).to.deep.equal({ ...bundle, tlog_proof: null });
  });

  it('refuses other media types with 406', async () => {
    const answer = await ask(GOOD, 'text/html');
    expect([answer.status, answer.code, answer.headers.get('vary')]).to.deep.equal([406, 'not-acceptable', 'Accept']);
  });

  it('puts hash, tree size, verdict and code into the ETag', async () => {
    const hash = Buffer.from(sha256(Buffer.from(good.jws)))
      .toString('hex')
      .slice(0, 32);
    expect(await etagOf(GOOD)).to.equal(`W/"${hash}-20-valid-ok"`);
  });

  it('answers 304 to the same ETag, without body', async () => {
    const answer = await ask(GOOD, undefined, { 'if-none-match': await etagOf(GOOD) });
    expect([answer.status, answer.body.length, answer.headers.get('vary')]).to.deep.equal([304, 0, 'Accept']);
  });

  const changes: [string, VectorReceipt, string | undefined][] = [
    ['it was entered in the log meanwhile', PENDING, undefined],
    ['another form is asked for', GOOD, 'application/jose'],
  ];
  for (const [why, before, accept] of changes) {
    it(`answers 200 to an old ETag when ${why}`, async () => {
      const answer = await ask(GOOD, 'application/json', { 'if-none-match': await etagOf(before, accept) });
      expect(answer.status).to.equal(200);
    });
  }

  it('does not hide a revocation behind a 304', async () => {
    const { jws, tlog_proof: proof } = vectorCase('revoked key, entry after the revocation').input.bundle;
    expect(await etagOf(vectorReceipt(jws, proof))).to.match(/-untrusted-key_revoked"$/);
  });

  const two = aCaller({ tenants: ['acme', 'globex'] });
  const foreign = aCaller({ tenants: ['globex'] });
  const OTHER = '/receipts/rcpt_01a1f866-0dfa-7001-8000-0000000000ff';
  const refused: [string, typeof two, string, number, string | undefined][] = [
    ['an unknown id', aCaller(), OTHER, 404, 'receipt-not-found'],
    ['what is no id', aCaller(), '/receipts/1', 404, 'receipt-not-found'],
    ['a receipt of another tenant', foreign, PATH, 404, 'receipt-not-found'],
    ['another tenant by name', foreign, `${PATH}?namespace=acme`, 404, 'receipt-not-found'],
    ['several tenants, none named', two, PATH, 409, 'namespace-ambiguous'],
    ['several tenants, another one named', two, `${PATH}?namespace=globex`, 404, 'receipt-not-found'],
    ['several tenants, the right one named', two, `${PATH}?namespace=acme`, 200, undefined],
    ['a key of all tenants that names none', aCaller({ tenants: '*' }), PATH, 409, 'namespace-ambiguous'],
    ['a key without the scope', aCaller({ scopes: new Set() }), PATH, 403, 'forbidden'],
  ];
  for (const [why, caller, path, status, code] of refused) {
    it(`${why}: ${status} ${code ?? ''}, for the proof too`, async () => {
      const app = await startWith(GOOD, caller);
      const answer = await app.call('GET', path);
      const proof = await app.call('GET', path.includes('?') ? path.replace('?', '/proof?') : `${path}/proof`);
      await app.close();
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      expect([proof.status, proof.code]).to.deep.equal([status, code]);
    });
  }

  it('gives the proof’s address with the namespace where the key needs it', async () => {
    const app = await startWith(GOOD, two);
    const { value } = await app.call('GET', `${PATH}?namespace=acme`);
    await app.close();
    expect(value).to.have.nested.property('log.proof_url', `${PATH}/proof?namespace=acme`);
  });
});

describe('GET /receipts/{receipt_id}/proof', () => {
  it('serves the tlog-proof against the covering checkpoint', async () => {
    const app = await startWith(GOOD);
    const answer = await app.call('GET', `${PATH}/proof`);
    await app.close();
    expect(answer.value).to.equal(good.tlog_proof);
    expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
  });

  it('says to come back while the entry is pending', async () => {
    const app = await startWith(PENDING);
    const answer = await app.call('GET', `${PATH}/proof`);
    await app.close();
    expect([answer.status, answer.code, answer.headers.get('retry-after')]).to.deep.equal([404, 'proof-pending', '1']);
  });
});
