import type { LedgerIdentity } from './tables/identity.ts';
import type { TablePorts } from './tables/tables.ts';

export type { SignedCheckpoint } from './tables/checkpoints.ts';
export type { DeadLetter, DeadLetterWithBody } from './tables/dead-letters.ts';
export type { AcceptedDelivery, HeldLease, NewDelivery } from './tables/deliveries.ts';
export type { DeliveryEffects, PackedEffects } from './tables/delivery-effects.ts';
export type { Evaluation, NewEvaluation } from './tables/evaluations.ts';
export type { IdempotencyClaim, IdempotencyEntry } from './tables/idempotency.ts';
export type { IncidentChange } from './tables/incident-changes.ts';
export type { IncidentQuery, IncidentWithUpdates, StoredIncident } from './tables/incidents.ts';
export type { IngestErasure, SourceErasure } from './tables/ingest-retention.ts';
export type { SourceCounts } from './tables/ingest-sources.ts';
export type { NewOrg } from './tables/orgs.ts';
export type { NewAudit } from './tables/audits.ts';
export type { DecisionQuery, NewDecision, StoredDecision } from './tables/policy-decisions.ts';
export type { NewGrant } from './tables/policy-grants.ts';
export type { StoredTotals } from './tables/policy-replay-totals.ts';
export type { NewReplay, ReplayUpdate, StoredReplay } from './tables/policy-replays.ts';
export type { PolicyErasure } from './tables/policy-retention.ts';
export type { PolicyVersion } from './tables/policy-versions.ts';
export type { NewViolation } from './tables/policy-violations.ts';
export type { NewPublication, Publication } from './tables/publications.ts';
export type { FinishResult, ReceiptPage, ReceiptQuery, RunFinish, StoredReceipt } from './tables/receipts.ts';
export type { ReceiptWindow } from './tables/receipt-totals.ts';
export type { RecordedRunQuery, RecordedRunRow } from './tables/recorded-runs.ts';
export type { NewFacts, StoredFacts } from './tables/run-facts.ts';
export type { FinishPolicy, StartPolicy } from './tables/run-policy.ts';
export type { OverdueRun, RunStart } from './tables/runs.ts';
export type { SignalState } from './tables/signal-states.ts';
export type { NewSignal, SignalQuery, StoredSignal } from './tables/signals.ts';
export type { StatusInterval } from './tables/status-intervals.ts';
export type { NewMaintenance } from './tables/status-maintenance.ts';
export type { LastSwap, NewSwap, StoredSwap } from './tables/swap-receipts.ts';
export type { TestReport } from './tables/test-reports.ts';
export type { PlacedEntry } from './tables/tier-changes.ts';

export interface LedgerLoad {
  /** Start and finish rows that wait for a commit. */
  readonly queuedRows: number;
  /** Age of the oldest of them, ms; 0 when the queue is empty. */
  readonly oldestMs: number;
}

/** What the queue has committed since the ledger was opened: `rows / groups` is how many rows share a commit. */
export interface LedgerCommits {
  readonly groups: number;
  /** Rows of every kind in these groups: two for each run, and few others. A row that was refused alone counts too. */
  readonly rows: number;
}

/**
 * An adapter failed: the database can't be reached, is full, or is broken. The caller may try again when `retryable`.
 */
export class LedgerError extends Error {
  readonly code:
    | 'ledger-unavailable'
    | 'ledger-closed'
    | 'ledger-locked'
    | 'ledger-identity'
    | 'ledger-version'
    | 'ledger-forked';
  readonly retryable: boolean;
  constructor(code: LedgerError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LedgerError';
    this.code = code;
    this.retryable = code === 'ledger-unavailable';
  }
}

/**
 * Whether the log may grow and be signed. If others have seen checkpoints of a ledger, its program must prove at the
 * start that it is the same ledger. A restored backup would sign a second history (trust.md §2.3).
 */
export interface LogGate {
  /** Why the log may not grow; undefined: it may. */
  readonly refusal: () => LedgerError | undefined;
  /** Resolves when the log may grow for the first time; never rejects. */
  readonly opened: Promise<void>;
}

/**
 * Durable store of runs, receipts and the Merkle log (trust.md §1.5, §2). All calls may run concurrently. A promise
 * that resolves means: committed and synced to disk; a crash right after it loses no data. A promise that rejects
 * (`LedgerError`) means: not known to be committed. Every query is bound to a tenant. A row that can't be written
 * rejects with `TypeError`, a bug of the caller. Examples: id taken, run unknown, entry too long, no JWS. That row is
 * not written, and the other rows of its group are. The members that read and write tables are declared with their
 * tables, such as `RunPort` in `tables/runs.ts`.
 */
export interface Ledger extends TablePorts {
  readonly identity: LedgerIdentity;

  readonly load: () => LedgerLoad;
  readonly commits: () => LedgerCommits;
  /**
   * Commits queued rows, signs and publishes a last checkpoint, and releases the file. Later calls reject with
   * `ledger-closed`.
   */
  readonly close: () => Promise<void>;
}
