import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { sha256 } from '../../adapters/keys/primitives.ts';
import type { Ledger, StoredReceipt } from '../../adapters/ledger/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { leafHash } from '../../core/merkle/hash.ts';
import { appendLeaf, rootOf, type Edge } from '../../core/merkle/tree.ts';
import { checkLog } from '../support/check-log.ts';
import type { Observations } from './witness.ts';
import { ledgerFileOf, openDataLedger } from '../support/data-ledger.ts';

/** The content of a killed platform's ledger, compared with what was observed. */
export interface KilledLedger {
  readonly runs: number;
  /** Runs without a receipt. */
  readonly open: number;
  readonly receipts: number;
  /** Receipts that the sweeper wrote for lost runs. */
  readonly swept: number;
  readonly logSize: number;
  readonly signed: number;
  /** Empty when nothing was lost, changed, doubled or forged. */
  readonly faults: readonly string[];
}

/** Rows of a ledger, and the rules that they break. */
export function countsOf(file: string): {
  readonly runs: number;
  readonly open: number;
  readonly faults: readonly string[];
} {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const count = (sql: string): number => Number(db.prepare(sql).get()?.['n'] ?? Number.NaN);
    const rules = [
      ['a run has two receipts', 'SELECT count(*) n FROM (SELECT 1 FROM receipts GROUP BY run_id HAVING count(*) > 1)'],
      ['an open run has a receipt', 'SELECT count(*) n FROM runs WHERE run_id IN (SELECT run_id FROM receipts)'],
    ] as const;
    const open = count('SELECT count(*) n FROM runs');
    return {
      runs: open + count('SELECT count(*) n FROM receipts'),
      open,
      faults: rules.flatMap(([what, sql]) => (count(sql) === 0 ? [] : [`${what}: ${count(sql)} times`])),
    };
  } finally {
    db.close();
  }
}

/** Every receipt of a tenant, by its id. */
export async function receiptsOf(ledger: Ledger, tenant: string): Promise<ReadonlyMap<string, StoredReceipt>> {
  const all = new Map<string, StoredReceipt>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await ledger.receipts(tenant, { limit: 200, ...(cursor === '' ? {} : { cursor }) });
    for (const receipt of page.items) all.set(receipt.receiptId, receipt);
    cursor = page.nextCursor;
  }
  return all;
}

/** Roots of every size of the tree, in base64, computed independently from the entries. */
async function rootsOf(ledger: Ledger): Promise<(size: number) => string | undefined> {
  const size = await ledger.logSize();
  const roots: string[] = [];
  let edge: Edge = [];
  while (roots.length < size) {
    for (const entry of await ledger.entries(roots.length, size)) {
      ({ edge } = appendLeaf(edge, roots.length, leafHash(Buffer.from(entry), sha256), sha256));
      roots.push(Buffer.from(rootOf(edge, sha256)).toString('base64'));
    }
  }
  return (wanted) => roots[wanted - 1];
}

function isSigned(jws: string, key: KeyObject): boolean {
  const [header = '', payload = '', signature = ''] = jws.split('.');
  return verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
}

function isSwept(jws: string): boolean {
  const payload: unknown = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return JSON.stringify(isJsonObject(payload) ? payload['execution'] : '').includes('"closed_by":"sweeper"');
}

function faultsOf(receipts: ReadonlyMap<string, StoredReceipt>, seen: Observations, key: KeyObject): string[] {
  const faults: string[] = [];
  for (const receiptId of seen.acknowledged)
    if (!receipts.has(receiptId)) faults.push(`${receiptId} was acknowledged and is lost`);
  for (const [receiptId, jws] of seen.served)
    if (receipts.get(receiptId)?.jws !== jws) faults.push(`${receiptId} is not as it was served`);
  for (const { receiptId, jws } of receipts.values())
    if (!isSigned(jws, key)) faults.push(`${receiptId} has a wrong signature`);
  return faults;
}

async function treeFaults(
  ledger: Ledger,
  seen: Observations,
  { logKey, tenant }: { readonly logKey: KeyObject; readonly tenant: string },
): Promise<readonly string[]> {
  const rootAt = await rootsOf(ledger);
  const forked = [...seen.checkpoints].filter(([size, note]) => note.split('\n')[2] !== rootAt(size));
  const faults = forked.map(([size]) => `the checkpoint of size ${size} that was served is of another log`);
  try {
    await checkLog(ledger, { logKey, tenants: [tenant] });
    return faults;
  } catch (error) {
    return [...faults, String(error)];
  }
}

/**
 * Compares the ledger of a stopped platform with what was observed.
 * @param data its `--data` folder
 * @param tenant the only tenant that has receipts
 */
export async function checkKilled(data: string, seen: Observations, tenant = 'default'): Promise<KilledLedger> {
  const counts = countsOf(ledgerFileOf(data));
  const { keys, ledger } = await openDataLedger(data);
  const x = Buffer.from(keys.log.publicKey).toString('base64url');
  const logKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  try {
    const receipts = await receiptsOf(ledger, tenant);
    const faults = [
      ...seen.faults,
      ...counts.faults,
      ...faultsOf(receipts, seen, keys.receiptPublic),
      ...(await treeFaults(ledger, seen, { logKey, tenant })),
    ];
    const swept = [...receipts.values()].filter(({ jws }) => isSwept(jws)).length;
    const logSize = await ledger.logSize();
    return { ...counts, receipts: receipts.size, swept, logSize, signed: seen.checkpoints.size, faults };
  } finally {
    await ledger.close();
  }
}
