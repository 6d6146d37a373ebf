import { entryText, type EntryOf } from '../log-entry/entry.ts';
import type { ReceiptRecord } from './record.ts';
import type { SwapReceipt } from './swap-record.ts';

/**
 * Log entry of a receipt of a published Orb (trust.md §2.1).
 * @param jwsSha256 lower-case hex of the SHA-256 of the JWS string
 * @returns JCS text
 */
export const receiptEntry = (record: ReceiptRecord, jwsSha256: string): string =>
  entryText({
    kind: 'receipt',
    receipt_id: record.receipt_id,
    orb_id: record.orb.id,
    manifest_digest: record.orb.manifest_digest,
    caller_tag: record.caller.tag,
    self: record.caller.self,
    outcome: record.execution.outcome,
    duration_ms: record.execution.duration_ms,
    slo_ms: record.execution.slo_ms,
    finished_at: record.execution.finished_at,
    jws_sha256: jwsSha256,
  });

/** All members are ASCII without characters to escape, so the canonical text is written directly. */
const privateText = (receiptId: string, finishedAt: string, jwsSha256: string): string =>
  `{"finished_at":"${finishedAt}","jws_sha256":"${jwsSha256}","kind":"receipt_private","receipt_id":"${receiptId}","v":1}`;

/** Log entry of any other receipt. It hides names and volumes of private Orbs. */
export const privateEntry = (record: ReceiptRecord, jwsSha256: string): string =>
  privateText(record.receipt_id, record.execution.finished_at, jwsSha256);

/** Log entry of a swap receipt of a published Orb (failover.md §10). */
export const swapEntry = ({ orb, swap }: SwapReceipt, jwsSha256: string): string =>
  entryText({
    kind: 'swap',
    orb_id: orb.id,
    from: swap.from,
    to: swap.to,
    reason: swap.reason,
    jws_sha256: jwsSha256,
    at: swap.decided_at,
  });

/** Log entry of any other swap receipt: it looks the same as that of a run. */
export const privateSwapEntry = (record: SwapReceipt, jwsSha256: string): string =>
  privateText(record.receipt_id, record.swap.decided_at, jwsSha256);

/** A change of a signing key, as the log has it. */
export type KeyEvent = Omit<EntryOf<'key_event'>, 'kind'>;

/** Log entry of a change in the keys document. */
export const keyEventEntry = (event: KeyEvent): string => entryText({ kind: 'key_event', ...event });
