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

const isBelow = (value: number, percent: number): boolean => value / RANGE < percent / 100;

/** How a sample means a receipt. */
export interface SampledReceipt {
  readonly isReplayed: boolean;
  /** Its signature is verified even when its result does not change. */
  readonly isVerified: boolean;
}

/** By `sha256(seed:receipt_id)`: the first four bytes choose the receipt, the next four the check of its signature. */
export function sampled({ percent, seed }: ReplaySample, receiptId: string): SampledReceipt {
  const digest = hash('sha256', `${seed}:${receiptId}`, 'buffer');
  return {
    isReplayed: percent >= 100 || isBelow(digest.readUInt32BE(0), percent),
    isVerified: isBelow(digest.readUInt32BE(4), VERIFIED_PERCENT),
  };
}
