import { publishedKey } from '../../../../hack/vectors/published-key.ts';
import { createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import { LedgerError, type Ledger } from '../../../../adapters/ledger/port.ts';
import { ed25519Verify, sha256, sha256Hex } from '../../../../adapters/keys/primitives.ts';
import { SelfCheck } from '../../../../api-server/self-check/self-check.ts';
import { createSwapMinter, type SwapMinter, type SwapMinterDeps } from '../../../../api-server/swaps/minter.ts';
import type { LogFields } from '../../../../adapters/telemetry/port.ts';
import type { SwapRecord } from '../../../../core/failover/types.ts';
import type { SwapReceipt } from '../../../../core/receipt/swap-record.ts';
import type { SwappedOrb } from '../../../../core/swap/swap-receipt-of.ts';
import { verifyReceipt } from '../../../../core/verify/verify.ts';
import { aSwappedOrb, aSwapRecord, swappedStatus, swapReceiptId } from '../../../support/a-swap.ts';
import { checkLog } from '../../../support/check-log.ts';
import { publishEntry } from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';
import { keys } from '../../core/verify/a-world.ts';

type Reported = readonly [level: string, message: string, fields: LogFields];

const document = {
  schema: 'https://orbs.example/schemas/keys/v1',
  issuer: 'https://orbs.example',
  log_origin: 'orbs.example/log',
  sequence: 1,
  issued_at: '2026-11-01T00:00:00.000Z',
  keys: [publishedKey(keys.receipt, 'receipt')],
};
const encoding = {
  utf8: (text: string) => Buffer.from(text, 'utf8'),
  base64Url: (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url'),
};
const sealing = { signer: keys.receipt, sha256Hex, encoding };
const publicKey = createPublicKey({ key: { ...keys.receipt.jwk }, format: 'jwk' });
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const seqs = (...numbers: readonly number[]): readonly SwapRecord[] => numbers.map((seq) => aSwapRecord(seq));

/** Shows these Orbs, one round of minting, and stops. */
async function mint(minter: SwapMinter, ...orbs: readonly SwappedOrb[]): Promise<void> {
  const stop = new AbortController();
  const running = minter.run(stop.signal);
  orbs.forEach(minter.observe);
  await nextTurn();
  stop.abort();
  await running;
}

describe('createSwapMinter', () => {
  let fixture: SqliteFixture;
  let reported: Reported[];
  let heard: () => void;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    reported = [];
    heard = () => undefined;
  });
  afterEach(async () => {
    await checkLog(await fixture.current(), { logKey: fixture.logKey, tenants: ['acme'] });
    await fixture.dispose();
  });

  const note =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      reported.push([level, message, fields]);
      heard();
    };
  const minterOf = (change: Partial<SwapMinterDeps> = {}): SwapMinter =>
    createSwapMinter({
      ledger: fixture.ledger,
      sealing,
      selfCheck: new SelfCheck(publicKey),
      issuer: document.issuer,
      clock: fixture.clock,
      logger: { info: note('info'), warn: note('warn'), error: note('error') },
      evaluator: () => ({ id: 'orb-operator/1.4.0', instance: 'orb-operator' }),
      isHolder: () => true,
      ...change,
    });

  async function receiptOf(seq: number, ledger: Ledger = fixture.ledger): Promise<SwapReceipt | undefined> {
    const stored = await ledger.swapReceipt('acme', swapReceiptId(seq));
    if (stored === undefined) return undefined;
    const subject = { jws: stored.jws, proof: null, document };
    const primitives = { sha256, ed25519Verify, now: () => 0 };
    const { code, signed } = await verifyReceipt(subject, { allowUnlogged: true }, primitives);
    expect(code).to.equal('ok');
    if (signed?.kind !== 'swap') throw new Error('no receipt of a swap');
    return signed.record;
  }

  it('gives every swap of a history its receipt, in their order, each naming the one before', async () => {
    await mint(minterOf(), aSwappedOrb(seqs(2, 1, 3)));
    const records = [await receiptOf(1), await receiptOf(2), await receiptOf(3)];
    expect(records.map((record) => record?.swap.seq)).to.deep.equal([1, 2, 3]);
    const before = records.map((record) => record?.previous_receipt_id);
    expect(before).to.deep.equal([null, swapReceiptId(1), swapReceiptId(2)]);
    expect(await fixture.ledger.lastSwap('acme', 'uid-1')).to.deep.equal({
      seq: 3,
      receiptId: swapReceiptId(3),
      epoch: 7,
    });
  });

  it('signs the evidence of a swap that has it, and none of one that lost it', async () => {
    const [decided = aSwapRecord(1)] = swappedStatus().history;
    await mint(minterOf(), aSwappedOrb([decided, aSwapRecord(2)]));
    expect((await receiptOf(1))?.evidence).to.deep.equal(JSON.parse(decided.evidence ?? ''));
    expect((await receiptOf(2))?.evidence).to.equal(null);
    expect(reported.filter(([level]) => level !== 'info')).to.deep.equal([]);
  });

  it('reports evidence that it can not sign, and mints without it', async () => {
    await mint(minterOf(), aSwappedOrb([aSwapRecord(1, { evidence: '{}' })]));
    expect((await receiptOf(1))?.evidence).to.equal(null);
    expect(reported[0]?.slice(0, 2)).to.deep.equal([
      'warn',
      'the evidence of a swap can not be signed: its receipt has none',
    ]);
  });

  it('goes on where another process, or itself before a restart, has stopped', async () => {
    await mint(minterOf(), aSwappedOrb(seqs(1, 2)));
    await mint(minterOf(), aSwappedOrb(seqs(1, 2, 3)));
    await mint(minterOf(), aSwappedOrb(seqs(3, 4)));
    expect(await fixture.ledger.logSize()).to.equal(4);
    expect((await receiptOf(4))?.previous_receipt_id).to.equal(swapReceiptId(3));
  });

  it('writes each swap once though several processes mint at the same time', async () => {
    const minters = Array.from({ length: 5 }, () => minterOf());
    await Promise.all(minters.map((minter) => mint(minter, aSwappedOrb(seqs(1, 2, 3)))));
    expect(await fixture.ledger.logSize()).to.equal(3);
    expect(reported.filter(([level]) => level === 'error')).to.deep.equal([]);
  });

  it('gives no receipt to a swap of a leader that was replaced, and says so', async () => {
    const past = aSwapRecord(2, { epoch: 6 });
    await mint(minterOf(), aSwappedOrb([aSwapRecord(1), past, aSwapRecord(3, { epoch: 8 })]));
    expect(await receiptOf(2)).to.equal(undefined);
    expect((await receiptOf(3))?.previous_receipt_id).to.equal(swapReceiptId(1));
    const [level, , fields] = reported.find(([, message]) => message.includes('epoch')) ?? [];
    expect(level).to.equal('warn');
    expect(fields).to.deep.include({ swap_seq: 2, epoch: 6, highest: 7 });
  });

  it('reports a swap that has another receipt already', async () => {
    const stale: Ledger = { ...fixture.ledger, lastSwap: () => Promise.resolve(undefined) };
    await mint(minterOf(), aSwappedOrb(seqs(1)));
    await mint(
      minterOf({ ledger: stale }),
      aSwappedOrb([aSwapRecord(1, { receiptId: swapReceiptId(9) }), aSwapRecord(2)]),
    );
    expect(reported.some(([level, message]) => level === 'error' && message.includes('another receipt'))).to.equal(
      true,
    );
    expect((await receiptOf(2))?.previous_receipt_id).to.equal(swapReceiptId(1));
  });

  it('passes over a swap that can have no receipt: the next ones have theirs', async () => {
    await mint(
      minterOf(),
      aSwappedOrb([aSwapRecord(1, { from: 'no name' }), aSwapRecord(2, { at: 1e17 }), aSwapRecord(3)]),
    );
    expect(reported.filter(([level]) => level === 'error').map(([, , { swap_seq: seq }]) => seq)).to.deep.equal([1, 2]);
    expect((await receiptOf(3))?.previous_receipt_id).to.equal(null);
  });

  it('records nothing that does not verify with the published key', async () => {
    await mint(minterOf({ sealing: { ...sealing, signer: keys.stranger } }), aSwappedOrb(seqs(1)));
    expect(await fixture.ledger.logSize()).to.equal(0);
    expect(reported[0]?.[0]).to.equal('error');
  });

  it('shows the names of a published Orb in the log, of no other', async () => {
    const { orbId, manifestDigest } = aSwappedOrb([]);
    await mint(minterOf(), aSwappedOrb(seqs(1)));
    await fixture.ledger.appendEntries([publishEntry(orbId, manifestDigest)]);
    await mint(minterOf(), aSwappedOrb(seqs(1, 2)));
    const kinds = (await fixture.ledger.entries(0, 9)).map((text) => String(/"kind":"(\w+)"/.exec(text)?.[1]));
    expect(kinds).to.deep.equal(['receipt_private', 'publish', 'swap']);
  });

  it('tries again, until the ledger is there, and says so once', async () => {
    let isAway = true;
    const flaky: SwapMinterDeps['ledger'] = {
      ...fixture.ledger,
      recordSwap: (swap) =>
        isAway ? Promise.reject(new LedgerError('ledger-unavailable', 'away')) : fixture.ledger.recordSwap(swap),
    };
    let nap = Promise.withResolvers<() => void>();
    const sleep = (): Promise<void> => new Promise((wake) => nap.resolve(wake));
    const minter = minterOf({ ledger: flaky, clock: { now: fixture.clock.now, sleep } });
    const stop = new AbortController();
    const running = minter.run(stop.signal);
    minter.observe(aSwappedOrb(seqs(1)));
    const first = await nap.promise;
    nap = Promise.withResolvers();
    first();
    const second = await nap.promise;
    minter.observe(aSwappedOrb(seqs(1, 2)));
    isAway = false;
    second();
    await nextTurn();
    stop.abort();
    await running;
    expect((await receiptOf(2))?.previous_receipt_id).to.equal(swapReceiptId(1));
    expect(reported.filter(([level]) => level === 'warn').length).to.equal(1);
  });

  it('records nothing once the lease is lost', async () => {
    await mint(minterOf({ isHolder: () => false }), aSwappedOrb(seqs(1)));
    expect(await fixture.ledger.logSize()).to.equal(0);
  });

  it('mints nothing that was shown while it did not run', async () => {
    const minter = minterOf();
    minter.observe(aSwappedOrb(seqs(1)));
    await mint(minter, aSwappedOrb([], { uid: 'uid-2' }));
    expect(await fixture.ledger.logSize()).to.equal(0);
  });

  it('mints for more Orbs than share a commit', async () => {
    const minter = minterOf();
    const stop = new AbortController();
    const running = minter.run(stop.signal);
    const all = 70;
    for (let number = 0; number < all; number += 1) {
      const receiptId = swapReceiptId(1000 + number);
      minter.observe(aSwappedOrb([aSwapRecord(1, { receiptId })], { uid: `uid-${number}` }));
    }
    await new Promise<void>((resolve) => {
      heard = () => {
        if (reported.length === all) resolve();
      };
    });
    stop.abort();
    await running;
    expect(await fixture.ledger.logSize()).to.equal(all);
  });
});
