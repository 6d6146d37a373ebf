import { splitJws, type JwsHeaders } from '../tables/jws-headers.ts';
import { fenceRows, swapFence, type FenceRows } from '../tables/leases.ts';
import { entryBytes } from '../tables/log.ts';
import { swapReceiptRows, type SwapReceiptRows, type SwapRow } from '../tables/swap-receipts.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import type { LogWriter } from './log-writer.ts';

/** Writes receipts of swaps with their entries and fences, inside the writer's transaction. */
export class SwapWriter {
  readonly #receipts: SwapReceiptRows;
  readonly #fences: FenceRows;
  readonly #headers: JwsHeaders;

  constructor(db: Connection, headers: JwsHeaders) {
    this.#receipts = swapReceiptRows(db);
    this.#fences = fenceRows(db);
    this.#headers = headers;
  }

  record(row: SwapRow, log: LogWriter): RowResult {
    const [, tenant, orbUid, swapSeq, epoch, receiptId, orbId, issuedAt, jws, entry] = row;
    if (![swapSeq, epoch, issuedAt].every(Number.isSafeInteger)) return refused('a number of a swap is not whole');
    const parts = splitJws(jws);
    const bytes = entryBytes(entry);
    if (parts === undefined || bytes === undefined) return refused('the receipt is malformed');
    const earlier = this.#earlier(orbUid, swapSeq, epoch);
    if (earlier !== null) return earlier;
    if (this.#receipts.isTaken(receiptId)) return refused('the receipt id is taken');
    const { header, payload, signature } = parts;
    const columns = [receiptId, tenant, orbUid, swapSeq, epoch, orbId, issuedAt] as const;
    this.#receipts.insert.run(log.size(), ...columns, this.#headers.idOf(header), payload, signature);
    this.#fences.put(swapFence(orbUid), epoch);
    log.append(entry, bytes);
    return null;
  }

  /** The earlier record that refuses a row: the same swap, or the epoch of a later leader. */
  #earlier(orbUid: string, swapSeq: number, epoch: number): RowResult {
    const existing = this.#receipts.idOf(orbUid, swapSeq);
    if (existing !== undefined) return ['exists', existing];
    const highest = this.#fences.highest(swapFence(orbUid)) ?? epoch;
    return epoch < highest ? ['fenced', highest] : null;
  }
}
