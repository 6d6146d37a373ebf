import { createPrivateKey, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ed25519Verify, sha256, sha256Hex } from '../../../../../adapters/keys/primitives.ts';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../../../../adapters/ledger/sqlite-ledger.ts';
import { logRoutes } from '../../../../../api-server/services/log/log-routes.ts';
import { manifestRoute } from '../../../../../api-server/services/manifests/manifest-route.ts';
import { receiptListRoute } from '../../../../../api-server/services/receipts/list-route.ts';
import { receiptRoutes } from '../../../../../api-server/services/receipts/receipt-routes.ts';
import { createReceiptVerifier } from '../../../../../api-server/services/receipts/verify-stored.ts';
import { digestOf } from '../../../../../core/json/digest.ts';
import { verifyBundle } from '../../../../../core/verify/verify.ts';
import vectors from '../../../../vectors/receipt.json' with { type: 'json' };
import { keyOfSeed } from '../../../../../hack/vectors/primitives.ts';
import { sealSwap } from '../../../../../core/receipt/swap-seal.ts';
import { aSwapReceipt } from '../../../../support/a-swap.ts';
import { aCaller, startApp, TEST_NOW, type TestApp } from '../../../../support/api-app.ts';
import { createFakeClock, type FakeClock } from '../../../../support/fake-clock.ts';
import { aFinish, aStart, aSwap } from '../../../../support/ledger-rows.ts';
import { vectorKeys } from '../../../../support/vector-receipts.ts';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const logKey = {
  privateKey: createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(vectors.keys.log.private_seed_hex, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  }),
  publicKey: Buffer.from(vectors.keys.log.jwk.x, 'base64url'),
};
const root = { kid: vectors.keys.root.kid, jwk: { crv: 'Ed25519', kty: 'OKP', x: vectors.keys.root.jwk.x } } as const;
const primitives = { sha256, ed25519Verify, now: () => TEST_NOW };
const MANIFEST = '{"orb_id":"acme.echo@1.2.0"}';

/** Receipts of the vectors, kept as runs of tenant `acme`. */
const signed = vectors.sign_cases.slice(0, 3);

/** And one of a swap. */
const swap = aSwapReceipt();
const SIZE = signed.length + 1;
const encoding = {
  utf8: (text: string) => Buffer.from(text, 'utf8'),
  base64Url: (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url'),
};

async function storeSwap(ledger: Ledger): Promise<void> {
  const signer = keyOfSeed(vectors.keys.receipt_active.private_seed_hex);
  const { jws, entry } = sealSwap(swap, false, { signer, sha256Hex, encoding });
  const { receipt_id: receiptId, orb, issued_at: issuedAt } = swap;
  await ledger.recordSwap(aSwap(1, { receiptId, orbId: orb.id, issuedAt: Date.parse(issuedAt), jws, entry }));
}

async function store(ledger: Ledger): Promise<void> {
  for (const [number, { record, expected }] of signed.entries()) {
    const receipt = {
      receiptId: record.receipt_id,
      orbId: record.orb.id,
      issuedAt: Date.parse(record.issued_at),
      jws: expected.jws,
      entry: expected.log_entry,
    };
    await ledger.recordRun(aStart(number), aFinish(number, {}, receipt));
  }
  await storeSwap(ledger);
  await ledger.putManifest('acme', digestOf(Buffer.from(MANIFEST), sha256), MANIFEST);
}

/** A member of parsed JSON. */
const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (found, name) => (typeof found === 'object' && found ? Reflect.get(found, name) : undefined),
    value,
  );

const verifier = createReceiptVerifier(vectorKeys.document, primitives);

describe('the read routes over a SQLite ledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-api-'));
  let clock: FakeClock;
  let ledger: Ledger;
  let app: TestApp;
  before(async () => {
    clock = createFakeClock(TEST_NOW);
    const identity = { issuer: vectors.keys.document.issuer, logOrigin: vectors.log.origin };
    const file = join(folder, 'ledger.sqlite');
    ledger = await openSqliteLedger({ file, identity, logKey, dataKey: randomBytes(32), clock, random: randomBytes });
    await store(ledger);
    const source = { ledger, verifier, clock, keysJws: vectorKeys.keysJws };
    const list = receiptListRoute(ledger, verifier);
    app = await startApp([...receiptRoutes(source), list, manifestRoute(ledger), ...logRoutes(ledger)]);
  });
  after(async () => {
    await app.close();
    await ledger.close();
    rmSync(folder, { recursive: true });
  });

  const path = `/receipts/${signed[0]?.record.receipt_id ?? ''}`;

  it('shows a receipt before and after its checkpoint, and a bundle that verifies with the root alone', async () => {
    const pending = await app.call('GET', path);
    expect(pending.value).to.have.property('log', null);
    expect((await app.call('GET', `${path}/proof`)).code).to.equal('proof-pending');
    await clock.advance(1000);
    await ledger.putState('test', 'behind-the-checkpoint', '1');
    const logged = await app.call('GET', path, { headers: { 'if-none-match': pending.headers.get('etag') ?? '' } });
    expect(logged.value).to.have.nested.property('verification.code', 'ok');
    expect(logged.value).to.have.nested.property('log.tree_size', SIZE);
    const accept = 'application/vnd.orb.bundle+json';
    const bundle = await app.call('GET', path, { headers: { accept } });
    expect((await verifyBundle(bundle.body, root, {}, primitives)).code).to.equal('ok');
  });

  it('shows the receipt of a swap without a score, and a bundle of it that verifies with the root alone', async () => {
    await clock.advance(1000);
    await ledger.putState('test', 'behind-the-checkpoint', '2');
    const swapPath = `/receipts/${swap.receipt_id}`;
    const { value } = await app.call('GET', swapPath);
    expect(value).to.have.all.keys([
      'kind',
      'receipt_id',
      'signature_valid',
      'timestamp',
      'record',
      'jws',
      'log',
      'verification',
    ]);
    expect(value).to.deep.include({ kind: 'swap', signature_valid: true, timestamp: swap.issued_at });
    expect(value).to.have.deep.nested.property('record', swap);
    expect(value).to.have.deep.nested.property(
      'verification.checks',
      ['jws', 'record', 'key_status', 'inclusion'].map((id) => ({ id, ok: true })),
    );
    expect((await app.call('GET', `${swapPath}/proof`)).status).to.equal(200);
    const bundle = await app.call('GET', swapPath, { headers: { accept: 'application/vnd.orb.bundle+json' } });
    expect((await verifyBundle(bundle.body, root, {}, primitives)).signed?.kind).to.equal('swap');
    const jws = await app.call('GET', swapPath, { headers: { accept: 'application/jose' } });
    expect(Buffer.from(jws.body).toString()).to.equal(at(value, 'jws'));
  });

  it('shows the receipt of a swap to its own tenant only', async () => {
    const foreign = await startApp(receiptRoutes({ ledger, verifier, clock, keysJws: vectorKeys.keysJws }), {
      caller: aCaller({ tenants: ['globex'] }),
    });
    for (const more of ['', '/proof']) {
      expect((await foreign.call('GET', `/receipts/${swap.receipt_id}${more}`)).code).to.equal('receipt-not-found');
    }
    await foreign.close();
  });

  it('pages through the tenant’s receipts, newest first, without a gap', async () => {
    const seen: unknown[] = [];
    let query = '?limit=1';
    for (;;) {
      const { value } = await app.call('GET', `/receipts${query}`);
      seen.push(at(value, 'items', '0', 'receipt_id'));
      const next = at(value, 'next_cursor');
      if (typeof next !== 'string' || seen.length > signed.length) break;
      query = `?limit=1&cursor=${next}`;
    }
    const newest = signed.toSorted((one, other) => (one.record.issued_at < other.record.issued_at ? 1 : -1));
    expect(seen).to.deep.equal(newest.map(({ record }) => record.receipt_id));
  });

  it('refuses a cursor that the ledger never gave', async () => {
    expect((await app.call('GET', '/receipts?cursor=abc')).code).to.equal('invalid-parameter');
  });

  it('serves proofs that lead to the checkpoint, up to its size', async () => {
    const { value } = await app.call('GET', `/log/inclusion?index=0&size=${SIZE}`, { key: null });
    expect(value).to.have.nested.property('proof.length', 2);
    const beyond = await app.call('GET', `/log/inclusion?index=0&size=${SIZE + 1}`, { key: null });
    expect(beyond.code).to.equal('invalid-parameter');
  });

  it('serves a manifest by its digest', async () => {
    const answer = await app.call('GET', `/manifests/${digestOf(Buffer.from(MANIFEST), sha256)}`);
    expect(Buffer.from(answer.body).toString()).to.equal(MANIFEST);
  });
});
