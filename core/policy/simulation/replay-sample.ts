import { hash } from 'node:crypto';

/** Which receipts are replayed; the same seed gives the same receipts (policy.md §6). */
export interface ReplaySample {
  /** 0–100, of all receipts. */
  readonly percent: number;
  readonly seed: number;
}

const RANGE = 2 ** 32;
/** Percent of the unchanged receipts whose signature is verified. */
const VERIFIED_PERCENT = 1;

const isBelow = (digits: string, percent: number): boolean => Number.parseInt(digits, 16) / RANGE < percent / 100;

/** How a sample means a receipt. */
export interface SampledReceipt {
  readonly isReplayed: boolean;
  /** Its signature is verified even when its result does not change. */
  readonly isVerified: boolean;
}

/** By `sha256(seed:receipt_id)`: the first four bytes choose the receipt, the next four the check of its signature. */
export function sampled({ percent, seed }: ReplaySample, receiptId: string): SampledReceipt {
  // A text is smaller garbage than bytes, which have memory outside of the heap.
  const digest = hash('sha256', `${seed}:${receiptId}`, 'hex');
  return {
    isReplayed: percent >= 100 || isBelow(digest.slice(0, 8), percent),
    isVerified: isBelow(digest.slice(8, 16), VERIFIED_PERCENT),
  };
}
