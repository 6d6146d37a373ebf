import type { RunOutcome } from '../../core/receipt/record.ts';
import type { TablePorts } from './tables/tables.ts';

/** Committed before the first byte goes to a provider (trust.md §1.5, phase 1). Times: ms since epoch. */
export interface RunStart {
  readonly runId: string;
  readonly tenant: string;
  readonly startedAt: number;
  /** The run's own deadline; the sweeper closes it 60 s later. */
  readonly deadlineAt: number;
  /** Instance that owns the run. */
  readonly owner: string;
  /** JSON text from which the sweeper can write the receipt of a lost run; holds no secret and no input. */
  readonly seed: string;
  /** Present when the caller sent `Idempotency-Key`: claimed in the same transaction. */
  readonly idempotency?: IdempotencyClaim;
}

export interface IdempotencyClaim {
  readonly path: string;
  readonly key: string;
  /** Lower-case hex SHA-256 of the request body. */
  readonly bodySha256: string;
  readonly expiresAt: number;
}

export type StartResult =
  | { readonly kind: 'started' }
  /** The key is in use: this run was not written. */
  | { readonly kind: 'idempotent'; readonly entry: IdempotencyEntry };

/** The state of a claim: running (no answer yet), or answered. `answer` is decrypted. */
export interface IdempotencyEntry {
  readonly bodySha256: string;
  readonly runId: string;
  readonly answer: string | undefined;
}

/** Phase 2: receipt, log entry and answer, in one transaction with the close of the run. */
export interface RunFinish {
  readonly runId: string;
  readonly tenant: string;
  readonly receipt: NewReceipt;
  /** Stored encrypted under the claim of this run's start, if the start made a claim. */
  readonly answer?: string;
}

interface NewReceipt {
  readonly receiptId: string;
  readonly orbId: string;
  readonly outcome: RunOutcome;
  readonly issuedAt: number;
  /** Compact JWS. */
  readonly jws: string;
  /** JCS text of its log entry, public or private form (trust.md §2.1), ≤ 65535 bytes of UTF-8. */
  readonly entry: string;
}

export type FinishResult =
  | { readonly kind: 'finished' }
  /** The run was closed before (by the sweeper): this call wrote no row. */
  | { readonly kind: 'closed'; readonly receiptId: string };

export interface OverdueRun {
  readonly runId: string;
  readonly tenant: string;
  readonly startedAt: number;
  readonly deadlineAt: number;
  readonly seed: string;
}

export interface StoredReceipt {
  readonly receiptId: string;
  readonly tenant: string;
  readonly orbId: string;
  readonly outcome: RunOutcome;
  readonly issuedAt: number;
  readonly jws: string;
  /** Null until the entry is in the tree. */
  readonly logIndex: number | null;
}

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

export type SwapResult =
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

export interface ReceiptQuery {
  /** 1–200. */
  readonly limit: number;
  /** Opaque, from an earlier page of the same query. */
  readonly cursor?: string;
  readonly orbId?: string;
  readonly outcome?: RunOutcome;
  /** Inclusive, ms since epoch. */
  readonly since?: number;
  /** Exclusive, ms since epoch. */
  readonly until?: number;
}

export interface ReceiptPage {
  /**
   * Newest first. A page may hold fewer than `limit` though more follow, because a call reads a bounded number of rows.
   */
  readonly items: readonly StoredReceipt[];
  readonly nextCursor: string | null;
}

export interface SignedCheckpoint {
  readonly size: number;
  /** C2SP signed note. */
  readonly note: string;
}

/** Fixed for the life of a ledger (design.md §4): another issuer needs another ledger. */
export interface LedgerIdentity {
  readonly issuer: string;
  readonly logOrigin: string;
}

export interface LedgerLoad {
  /** Start and finish rows that wait for a commit. */
  readonly queuedRows: number;
  /** Age of the oldest of them, ms; 0 when the queue is empty. */
  readonly oldestMs: number;
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
 * not written, and the other rows of its group are.
 */
export interface Ledger extends TablePorts {
  readonly identity: LedgerIdentity;

  readonly startRun: (start: RunStart) => Promise<StartResult>;
  /** Must close a run exactly once: the second finish of a run writes nothing and answers `closed`. */
  readonly finishRun: (finish: RunFinish) => Promise<FinishResult>;
  /** Start and finish in one transaction (a denied run). */
  readonly recordRun: (start: RunStart, finish: RunFinish) => Promise<StartResult>;
  /** Runs still `started` whose deadline lies before `before`, oldest first. Never returns a closed run. */
  readonly overdueRuns: (before: number, limit: number) => Promise<readonly OverdueRun[]>;
  readonly idempotent: (tenant: string, path: string, key: string) => Promise<IdempotencyEntry | undefined>;
  /**
   * Keeps the answer of a request that is not a run, encrypted like the answer of a run. The first answer under a key
   * stays.
   * @param requestId id of the request, in place of a run id
   * @returns the entry that holds the key already; undefined: this answer was stored
   */
  readonly keepAnswer: (
    tenant: string,
    claim: IdempotencyClaim,
    kept: { readonly requestId: string; readonly answer: string },
  ) => Promise<IdempotencyEntry | undefined>;
  /**
   * Deletes claims that expired before `now`; returns their number. Unanswered claims of running runs stay. An expired
   * claim of a closed run is not returned and does not hold its key, erased or not.
   */
  readonly eraseExpired: (now: number) => Promise<number>;

  readonly receipt: (tenant: string, receiptId: string) => Promise<StoredReceipt | undefined>;
  readonly receiptOfRun: (tenant: string, runId: string) => Promise<StoredReceipt | undefined>;
  /** @throws RangeError limit outside 1–200, or a cursor that did not come from a page */
  readonly receipts: (tenant: string, query: ReceiptQuery) => Promise<ReceiptPage>;

  /**
   * Writes receipt and log entry of a swap in one transaction; the same swap again writes no row. Must give each
   * (orbUid, swapSeq) one receipt, also for concurrent calls. Must refuse an epoch below the highest that was recorded
   * for this object.
   */
  readonly recordSwap: (swap: NewSwap) => Promise<SwapResult>;
  readonly swapReceipt: (tenant: string, receiptId: string) => Promise<StoredSwap | undefined>;
  /** The swap with the highest `swapSeq`. */
  readonly lastSwap: (tenant: string, orbUid: string) => Promise<LastSwap | undefined>;
  /** Whether a `publish` entry of these bytes is in the log. */
  readonly hasPublished: (orbId: string, manifestDigest: string) => Promise<boolean>;

  /** Appends entries that do not belong to a run (`key_event` …), in this order; returns the index of the first. */
  readonly appendEntries: (entries: readonly string[]) => Promise<number>;
  /** The newest published checkpoint: signed within 1 s of growth, served only after its commit. */
  readonly checkpoint: () => Promise<SignedCheckpoint | undefined>;
  /** The first checkpoint that covers `index`; undefined until such a checkpoint exists. */
  readonly checkpointCovering: (index: number) => Promise<SignedCheckpoint | undefined>;
  /** RFC 6962 audit path, leaf to root. @throws RangeError unless 0 ≤ index < size ≤ size of the log */
  readonly inclusionProof: (index: number, size: number) => Promise<readonly Uint8Array[]>;
  /** RFC 6962 consistency proof. @throws RangeError unless 1 ≤ first ≤ second ≤ size of the log */
  readonly consistencyProof: (first: number, second: number) => Promise<readonly Uint8Array[]>;
  /**
   * UTF-8 texts of entries [from, to), at most the first 1000 of them, without those beyond the end.
   * @throws RangeError `from` < 0
   */
  readonly entries: (from: number, to: number) => Promise<readonly string[]>;
  /** Entries in the tree. */
  readonly logSize: () => Promise<number>;
  /** Root of the tree of the first `size` entries, 32 bytes. @throws RangeError unless 0 ≤ size ≤ size of the log */
  readonly rootAt: (size: number) => Promise<Uint8Array>;

  readonly load: () => LedgerLoad;
  /**
   * Commits queued rows, signs and publishes a last checkpoint, and releases the file. Later calls reject with
   * `ledger-closed`.
   */
  readonly close: () => Promise<void>;
}
