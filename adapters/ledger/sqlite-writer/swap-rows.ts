import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integerOf, textOf } from '../sqlite/columns.ts';
import type { SwapRow } from '../sqlite/protocol.ts';
import { refused, type RowResult } from '../tables/table.ts';
import { splitJws, type JwsHeaders } from './jws-parts.ts';
import { entryBytes } from './run-rows.ts';
import type { TreeWriter } from './tree-writer.ts';

function prepareSwaps(db: DatabaseSync) {
  return {
    bySeq: db.prepare('SELECT receipt_id FROM swap_receipts WHERE orb_uid = ? AND swap_seq = ?'),
    taken: db.prepare(
      `SELECT 1 AS taken FROM receipts WHERE receipt_id = ?
       UNION ALL SELECT 1 FROM swap_receipts WHERE receipt_id = ?`,
    ),
    insert: db.prepare(
      `INSERT INTO swap_receipts(log_index, receipt_id, tenant, orb_uid, swap_seq, epoch, orb_id, issued_at, header, payload,
         signature) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    fence: db.prepare('SELECT epoch FROM leases WHERE name = ?'),
    // This lease has no holder: it exists for its epoch.
    putFence: db.prepare(
      `INSERT INTO leases(name, holder, epoch, expires) VALUES (?, '', ?, 0)
       ON CONFLICT DO UPDATE SET epoch = excluded.epoch`,
    ),
  } satisfies Record<string, StatementSync>;
}

/** Receipts of swaps, on the writer's connection and inside its transaction. */
export class SwapRows {
  readonly #sql: ReturnType<typeof prepareSwaps>;
  readonly #headers: JwsHeaders;

  constructor(db: DatabaseSync, headers: JwsHeaders) {
    this.#sql = prepareSwaps(db);
    this.#headers = headers;
  }

  record(row: SwapRow, tree: TreeWriter): RowResult {
    const [, tenant, orbUid, swapSeq, epoch, receiptId, orbId, issuedAt, jws, entry] = row;
    if (![swapSeq, epoch, issuedAt].every(Number.isSafeInteger)) return refused('a number of a swap is not whole');
    const parts = splitJws(jws);
    const bytes = entryBytes(entry);
    if (parts === undefined || bytes === undefined) return refused('the receipt is malformed');
    const earlier = this.#earlier(orbUid, swapSeq, epoch);
    if (earlier !== null) return earlier;
    if (this.#sql.taken.get(receiptId, receiptId) !== undefined) return refused('the receipt id is taken');
    const { header, payload, signature } = parts;
    const columns = [receiptId, tenant, orbUid, swapSeq, epoch, orbId, issuedAt] as const;
    this.#sql.insert.run(tree.size(), ...columns, this.#headers.idOf(header), payload, signature);
    this.#sql.putFence.run(fenceOf(orbUid), epoch);
    tree.append(bytes);
    return null;
  }

  /** The earlier record that refuses a row: the same swap, or the epoch of a later leader. */
  #earlier(orbUid: string, swapSeq: number, epoch: number): RowResult {
    const existing = this.#sql.bySeq.get(orbUid, swapSeq);
    if (existing !== undefined) return ['exists', textOf(existing, 'receipt_id')];
    const fence = this.#sql.fence.get(fenceOf(orbUid));
    const highest = fence === undefined ? epoch : integerOf(fence, 'epoch');
    return epoch < highest ? ['fenced', highest] : null;
  }
}

const fenceOf = (orbUid: string): string => `swap/${orbUid}`;
