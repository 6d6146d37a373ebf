import { createHash, verify, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import type { Ledger, SignedCheckpoint, StoredSwap } from '../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';

export interface LogExpectation {
  /** Public half of the log key. */
  readonly logKey: KeyObject;
  /** All tenants that may have receipts. */
  readonly tenants: readonly string[];
  /** Ids of runs, by tenant, that are known to be closed; each must have exactly one receipt. */
  readonly closedRuns?: readonly { readonly tenant: string; readonly runId: string }[];
}

export interface CheckedLog {
  readonly size: number;
  readonly checkpoints: number;
  readonly receipts: number;
  /** Receipts of the runs of each tenant. */
  readonly runsOf: ReadonlyMap<string, number>;
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

async function allEntries(ledger: Ledger): Promise<readonly string[]> {
  const size = await ledger.logSize();
  const all: string[] = [];
  while (all.length < size) {
    const some = await ledger.entries(all.length, size);
    expect(some.length, 'a gap in the log').to.be.greaterThan(0);
    all.push(...some);
  }
  return all;
}

/** Roots of the given sizes, computed from the entries: full subtrees on a stack, as RFC 6962 §2.1 splits them. */
function rootsAt(entries: readonly string[], sizes: ReadonlySet<number>): ReadonlyMap<number, string> {
  const roots = new Map<number, string>([[0, sha256().toString('base64')]]);
  const subtrees: { hash: Buffer; leaves: number }[] = [];
  entries.forEach((entry, index) => {
    let last = { hash: sha256(Uint8Array.of(0), Buffer.from(entry)), leaves: 1 };
    while (subtrees.at(-1)?.leaves === last.leaves) {
      const left = subtrees.pop();
      last = { hash: sha256(Uint8Array.of(1), left?.hash ?? Buffer.alloc(0), last.hash), leaves: last.leaves * 2 };
    }
    subtrees.push(last);
    if (!sizes.has(index + 1)) return;
    const root = subtrees.map(({ hash }) => hash).reduceRight((right, left) => sha256(Uint8Array.of(1), left, right));
    roots.set(index + 1, root.toString('base64'));
  });
  return roots;
}

async function allCheckpoints(ledger: Ledger): Promise<readonly SignedCheckpoint[]> {
  const all: SignedCheckpoint[] = [];
  for (;;) {
    const next = await ledger.checkpointCovering(all.at(-1)?.size ?? 0);
    if (next === undefined) return all;
    all.push(next);
  }
}

function checkNote(
  { size, note }: SignedCheckpoint,
  origin: string,
  root: string | undefined,
  logKey: KeyObject,
): void {
  const text = `${origin}\n${size}\n${root}\n`;
  expect(note.slice(0, text.length), `the checkpoint of size ${size} is of another tree`).to.equal(text);
  const line = /^\n— (\S+) (\S+)\n$/.exec(note.slice(text.length));
  expect(line?.[1], 'who signed').to.equal(origin);
  const signature = Buffer.from(line?.[2] ?? '', 'base64').subarray(4);
  expect(verify(null, Buffer.from(text), logKey, signature), 'signature of a checkpoint').to.equal(true);
}

async function allReceipts(ledger: Ledger, tenant: string): Promise<readonly StoredSwap[]> {
  const all: StoredSwap[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await ledger.receipts(tenant, { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    all.push(...page.items);
    cursor = page.nextCursor;
  }
  return all;
}

function parsedEntry(entry: string): JsonObject {
  const value: unknown = JSON.parse(entry);
  if (!isJsonObject(value)) throw new TypeError('an entry is no object');
  return value;
}

/** Receipts of swaps, found by the private entries that belong to no run; lists don't show them. */
async function swapReceipts(
  ledger: Ledger,
  entries: readonly string[],
  { tenants, runs }: { readonly tenants: readonly string[]; readonly runs: readonly StoredSwap[] },
): Promise<readonly StoredSwap[]> {
  const known = new Set<unknown>(runs.map(({ receiptId }) => receiptId));
  const others = entries
    .map(parsedEntry)
    .flatMap(({ kind, receipt_id: id }) =>
      kind === 'receipt_private' && typeof id === 'string' && !known.has(id) ? [id] : [],
    );
  const asked = others.flatMap((id) => tenants.map((tenant) => ledger.swapReceipt(tenant, id)));
  return (await Promise.all(asked)).filter((found) => found !== undefined);
}

function checkPairs(entries: readonly string[], receipts: readonly StoredSwap[]): void {
  const kinds = new Set<unknown>(['receipt', 'receipt_private']);
  const parsed = entries.map(parsedEntry);
  const logged = parsed.filter(({ kind }) => kinds.has(kind)).map(({ receipt_id: id }) => id);
  const found = new Set<unknown>(receipts.map(({ receiptId }) => receiptId));
  expect(
    logged.filter((id) => !found.has(id)),
    'entries without their receipt',
  ).to.deep.equal([]);
  expect(receipts.length, 'as many receipts as their entries').to.equal(logged.length);
  expect(found.size, 'receipt ids occur once').to.equal(receipts.length);
  for (const { receiptId, jws, logIndex } of receipts) {
    const entry = parsed[logIndex ?? -1] ?? {};
    expect(entry['receipt_id'], `entry of ${receiptId}`).to.equal(receiptId);
    expect(entry['jws_sha256'], `digest of ${receiptId}`).to.equal(createHash('sha256').update(jws).digest('hex'));
  }
}

async function checkClosedRuns(ledger: Ledger, closed: NonNullable<LogExpectation['closedRuns']>): Promise<void> {
  const open = new Set((await ledger.overdueRuns(Number.MAX_SAFE_INTEGER, 1_000_000)).map(({ runId }) => runId));
  for (const { tenant, runId } of closed) {
    const receipt = await ledger.receiptOfRun(tenant, runId);
    expect(receipt?.tenant, `receipt of the closed ${runId}`).to.equal(tenant);
    expect(open.has(runId), `${runId} is closed and open`).to.equal(false);
  }
}

/**
 * Verifies a whole ledger through its port. The tree is computed again from the entries. Every checkpoint ever signed
 * must match that tree and the log key. Every receipt must match its entry, and every entry of a receipt must have its
 * receipt. Every closed run must have exactly one receipt. Each test that writes calls this at its end.
 */
export async function checkLog(ledger: Ledger, expected: LogExpectation): Promise<CheckedLog> {
  const entries = await allEntries(ledger);
  const checkpoints = await allCheckpoints(ledger);
  const roots = rootsAt(entries, new Set(checkpoints.map(({ size }) => size)));
  for (const checkpoint of checkpoints) {
    checkNote(checkpoint, ledger.identity.logOrigin, roots.get(checkpoint.size), expected.logKey);
  }
  expect(await ledger.checkpoint(), 'the newest checkpoint').to.deep.equal(checkpoints.at(-1));
  const byTenant = await Promise.all(
    expected.tenants.map(async (tenant) => [tenant, await allReceipts(ledger, tenant)] as const),
  );
  const runs = byTenant.flatMap(([, found]) => found);
  const receipts = [...runs, ...(await swapReceipts(ledger, entries, { tenants: expected.tenants, runs }))];
  checkPairs(entries, receipts);
  await checkClosedRuns(ledger, expected.closedRuns ?? []);
  return {
    size: entries.length,
    checkpoints: checkpoints.length,
    receipts: receipts.length,
    runsOf: new Map(byTenant.map(([tenant, found]) => [tenant, found.length])),
  };
}
