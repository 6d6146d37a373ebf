import type { StatementSync } from 'node:sqlite';
import { integerOf, textOf } from '../sqlite/columns.ts';
import { commonOf, type StoredReceipt } from './receipts.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** The receipt of one swap of an Orb's provider (failover.md §10). */
export interface NewSwap {
  readonly tenant: string;
  /** UID of the object: an object made again under the same name starts a new count. */
  readonly orbUid: string;
  /** 1, 2, …: a swap has one receipt, even when two processes record it. */
  readonly swapSeq: number;
  /** Epoch of the lease of the leader that decided: the fencing token, ≥ 0. */
  readonly epoch: number;
  readonly receiptId: string;
  readonly orbId: string;
  readonly issuedAt: number;
  /** Compact JWS. */
  readonly jws: string;
  /** JCS text of its log entry, public or private form (trust.md §2.1). */
  readonly entry: string;
}

type SwapResult =
  | { readonly kind: 'recorded' }
  /** This swap has a receipt already: this call wrote no row. */
  | { readonly kind: 'exists'; readonly receiptId: string }
  /** A later leader decided about this object before: this call wrote no row. */
  | { readonly kind: 'fenced'; readonly highest: number };

export type StoredSwap = Pick<StoredReceipt, 'receiptId' | 'tenant' | 'orbId' | 'issuedAt' | 'jws' | 'logIndex'>;

/** Number and epoch of an object's latest swap receipt. */
export interface LastSwap {
  readonly seq: number;
  readonly receiptId: string;
  readonly epoch: number;
}

/** Receipts of swaps. */
interface SwapReceiptPort {
  /**
   * Writes receipt and log entry of a swap in one transaction; the same swap again writes no row. Must give each
   * (orbUid, swapSeq) one receipt, also for concurrent calls. Must refuse an epoch below the highest that was recorded
   * for this object.
   */
  readonly recordSwap: (swap: NewSwap) => Promise<SwapResult>;
  readonly swapReceipt: (tenant: string, receiptId: string) => Promise<StoredSwap | undefined>;
  /** The swap with the highest `swapSeq`. */
  readonly lastSwap: (tenant: string, orbUid: string) => Promise<LastSwap | undefined>;
}

export type SwapRow = readonly [
  op: 'swap',
  tenant: string,
  orbUid: string,
  swapSeq: number,
  epoch: number,
  receiptId: string,
  orbId: string,
  issuedAt: number,
  jws: string,
  entry: string,
];

const schema: TableSchema = {
  2: `CREATE TABLE swap_receipts(
    log_index INTEGER PRIMARY KEY, receipt_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, orb_uid TEXT NOT NULL,
    swap_seq INTEGER NOT NULL, epoch INTEGER NOT NULL, orb_id TEXT NOT NULL, issued_at INTEGER NOT NULL,
    header INTEGER NOT NULL, payload BLOB NOT NULL, signature BLOB NOT NULL, UNIQUE (orb_uid, swap_seq)
  ) STRICT;`,
};

/** Receipts of swaps in the writer's thread. */
export interface SwapReceiptRows {
  readonly idOf: (orbUid: string, swapSeq: number) => string | undefined;
  /** Whether a receipt of a run or of a swap has this id. */
  readonly isTaken: (receiptId: string) => boolean;
  readonly insert: StatementSync;
}

export function swapReceiptRows(db: Connection): SwapReceiptRows {
  const bySeq = db.prepare('SELECT receipt_id FROM swap_receipts WHERE orb_uid = ? AND swap_seq = ?');
  const taken = db.prepare(
    `SELECT 1 AS taken FROM receipts WHERE receipt_id = ?
     UNION ALL SELECT 1 FROM swap_receipts WHERE receipt_id = ?`,
  );
  return {
    idOf: (orbUid, swapSeq) => {
      const row = bySeq.get(orbUid, swapSeq);
      return row === undefined ? undefined : textOf(row, 'receipt_id');
    },
    isTaken: (receiptId) => taken.get(receiptId, receiptId) !== undefined,
    insert: db.prepare(
      `INSERT INTO swap_receipts(log_index, receipt_id, tenant, orb_uid, swap_seq, epoch, orb_id, issued_at, header, payload,
         signature) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

const swapRow = (swap: NewSwap): SwapRow => [
  'swap',
  swap.tenant,
  swap.orbUid,
  swap.swapSeq,
  swap.epoch,
  swap.receiptId,
  swap.orbId,
  swap.issuedAt,
  swap.jws,
  swap.entry,
];

function swapResult(result: RowResult): SwapResult {
  if (result === null) return { kind: 'recorded' };
  if (typeof result === 'number') throw unexpected(result);
  if (result[0] === 'exists') return { kind: 'exists', receiptId: result[1] };
  if (result[0] === 'fenced') return { kind: 'fenced', highest: result[1] };
  throw unexpected(result);
}

function swapReceiptPort({ prepare, read, writeLogged }: TableParts<SwapRow>): SwapReceiptPort {
  const byId = prepare(
    `SELECT log_index, receipt_id, tenant, orb_id, issued_at, payload, signature, jws_headers.header AS header
     FROM swap_receipts JOIN jws_headers ON jws_headers.id = swap_receipts.header WHERE receipt_id = ? AND tenant = ?`,
  );
  const last = prepare(
    'SELECT swap_seq, receipt_id, epoch FROM swap_receipts WHERE orb_uid = ? AND tenant = ? ORDER BY swap_seq DESC LIMIT 1',
  );
  return {
    recordSwap: async (swap) => swapResult(await writeLogged(swapRow(swap))),
    swapReceipt: (tenant, receiptId) =>
      read(() => {
        const row = byId.get(receiptId, tenant);
        return row === undefined ? undefined : commonOf(row);
      }),
    lastSwap: (tenant, orbUid) =>
      read(() => {
        const row = last.get(orbUid, tenant);
        if (row === undefined) return undefined;
        const [seq, epoch] = [integerOf(row, 'swap_seq'), integerOf(row, 'epoch')];
        return { seq, receiptId: textOf(row, 'receipt_id'), epoch };
      }),
  };
}

/** Written with the log and the fence of the object: `sqlite-writer/swap-writer.ts`. */
export const swapReceiptTable = { schema, port: swapReceiptPort, writers: nothing };
