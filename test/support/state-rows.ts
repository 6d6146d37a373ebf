import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Rows of `state` in the ledger of a data folder: `kind key` → JSON text. */
export function stateRows(data: string): ReadonlyMap<string, string> {
  const db = new DatabaseSync(join(data, 'ledger/ledger.sqlite'), { readOnly: true });
  try {
    const rows = db.prepare('SELECT kind, key, json FROM state').all();
    return new Map(rows.map(({ kind, key, json }) => [`${String(kind)} ${String(key)}`, String(json)]));
  } finally {
    db.close();
  }
}

/** Every swap receipt that the ledger of a data folder has for an Orb, by number of its swap. */
export function swapReceipts(data: string, orbId: string): readonly (readonly [seq: number, receiptId: string])[] {
  const db = new DatabaseSync(join(data, 'ledger/ledger.sqlite'), { readOnly: true });
  try {
    const sql = 'SELECT swap_seq, receipt_id FROM swap_receipts WHERE orb_id = ? ORDER BY swap_seq';
    const rows = db.prepare(sql).all(orbId);
    return rows.map(({ swap_seq: seq, receipt_id: id }) => [Number(seq), String(id)]);
  } finally {
    db.close();
  }
}
