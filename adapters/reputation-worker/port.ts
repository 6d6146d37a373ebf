import type { ReceiptTotals } from '../../core/ingestion/incidents/corroborate.ts';
import type { ReceiptWindow } from '../ledger/port.ts';
import type { LineToScore, ScoredLine } from '../../core/reputation/score-line.ts';

/** A published version whose score is computed twice: from the tables, and from the entries of the log alone. */
export interface OrbToCheck {
  readonly orbId: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly asOf: string;
}

/** Result of a check. */
export interface CheckedOrb {
  /** Entries of the log that were read. */
  readonly size: number;
  /** Members of the profile that differ; empty: tables and log say the same. */
  readonly differing: readonly string[];
}

/** Computes scores from what the ledger holds. */
export interface Scorer {
  /**
   * Scores versions of one line from one state of the ledger. Calls may run concurrently; they wait for each other. Must
   * not change anything: the same call may be repeated.
   * @throws LedgerError the ledger could not be read @throws Error the computation failed: a bug
   */
  readonly score: (line: LineToScore) => Promise<ScoredLine>;
  /**
   * Counts receipts for an incident. Calls may run concurrently; they wait for each other.
   * @throws LedgerError the ledger could not be read @throws Error the computation failed: a bug
   */
  readonly count: (window: ReceiptWindow) => Promise<ReceiptTotals>;
  /**
   * Folds the whole log for one version and compares. It reads in slices, and calls of `score` go between them. One check
   * at a time.
   * @throws LedgerError the ledger could not be read @throws Error the computation failed: a bug
   */
  readonly check: (orb: OrbToCheck, signal: AbortSignal) => Promise<CheckedOrb>;
  /** What still waits rejects with the LedgerError `ledger-closed`. Call it before the ledger is closed. */
  readonly close: () => Promise<void>;
}
