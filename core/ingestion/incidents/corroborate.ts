import type { Impact } from './incident.ts';

/** Runs that ended well or were the Orb's fault. */
export interface RunCounts {
  readonly runs: number;
  readonly failed: number;
  /** Successes that took longer than the Orb promises. */
  readonly slow: number;
}

/** What receipts of a time say about an Orb, without those of the publisher and of the sources' tenants. */
export interface ReceiptTotals extends RunCounts {
  /** Tenants with such runs. */
  readonly callers: number;
  /** The highest share of failed runs of any five minutes, 0–1. */
  readonly worstShare: number;
  /** The 30 days before, of the whole line. */
  readonly baseline: RunCounts;
}

const LEAST_RUNS = 20;
const LEAST_CALLERS = 3;
const ERRORS = 0.05;
const SLOW = 0.1;
const TIMES_BASELINE = 3;
const MAJOR = 0.2;
const CRITICAL = 0.5;
const BASIS_POINTS = 10_000;

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const errorShare = ({ failed, runs }: RunCounts): number => share(failed, runs);
const slowShare = ({ slow, runs }: RunCounts): number => share(slow, runs);

/** Whether there are too few runs to say anything. */
export const isThin = ({ runs }: RunCounts): boolean => runs < LEAST_RUNS;

/**
 * Whether receipts show a problem: at least 20 runs of 3 tenants, of which 5 % failed and three times the usual share, or
 * 10 % were slow and three times the usual share. Fewer tenants could open an incident by failing runs of their own.
 */
export function showsProblem(totals: ReceiptTotals): boolean {
  const { baseline, callers } = totals;
  if (isThin(totals) || callers < LEAST_CALLERS) return false;
  const errors = errorShare(totals);
  const slow = slowShare(totals);
  return (
    (errors >= ERRORS && errors >= TIMES_BASELINE * errorShare(baseline)) ||
    (slow >= SLOW && slow >= TIMES_BASELINE * slowShare(baseline))
  );
}

/** Half of the runs of five minutes failed: critical. A fifth of all: major. */
export function impactByReceipts(totals: ReceiptTotals): Impact {
  if (totals.worstShare >= CRITICAL) return 'critical';
  return errorShare(totals) >= MAJOR ? 'major' : 'minor';
}

export const basisPoints = (counts: RunCounts): number => Math.round(errorShare(counts) * BASIS_POINTS);
