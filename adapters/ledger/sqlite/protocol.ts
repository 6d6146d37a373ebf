import type { KeyObject } from 'node:crypto';
import type { RunOutcome } from '../../../core/receipt/record.ts';
import type { LedgerError, LedgerIdentity } from '../port.ts';

/** What the writer's thread gets at its start. */
export interface WriterSettings {
  readonly file: string;
  readonly identity: LedgerIdentity;
  readonly logKey: LogKey;
  /** 32 bytes. */
  readonly dataKey: Uint8Array;
}

/** Ed25519 key that signs checkpoints; its public half as 32 raw bytes. */
export interface LogKey {
  readonly privateKey: KeyObject;
  readonly publicKey: Uint8Array;
}

// Rows travel as flat arrays: structured clone copies them in 60 % of the time of objects (performance.md §1).
export type StartRow = readonly [
  op: 'start',
  runId: string,
  tenant: string,
  startedAt: number,
  deadlineAt: number,
  owner: string,
  seed: string,
  claimPath: string | null,
  claimKey: string,
  claimBodySha256: string,
  claimExpiresAt: number,
];
export type FinishRow = readonly [
  op: 'finish',
  runId: string,
  tenant: string,
  receiptId: string,
  orbId: string,
  outcome: RunOutcome,
  issuedAt: number,
  jws: string,
  entry: string,
  answer: string | null,
  nonce: Uint8Array | null,
];
export type AnswerRow = readonly [
  op: 'answer',
  tenant: string,
  path: string,
  key: string,
  bodySha256: string,
  requestId: string,
  now: number,
  expiresAt: number,
  answer: string,
  nonce: Uint8Array,
];
export type SwapRow = readonly [
  op: 'swap',
  tenant: string,
  orbUid: string,
  swapSeq: number,
  epoch: number,
  receiptId: string,
  orbId: string,
  issuedAt: number,
  jws: string,
  entry: string,
];
/** Rows that move the log or a run, or are claimed like one. */
export type LogRow =
  | StartRow
  | FinishRow
  | AnswerRow
  | readonly [op: 'record', start: StartRow, finish: FinishRow]
  | SwapRow
  | readonly [op: 'append', entries: readonly string[]]
  | readonly [op: 'checkpoint'];
export type StoreRow =
  | readonly [op: 'erase', now: number, limit: number]
  | readonly [op: 'putManifest', tenant: string, digest: string, jcs: string]
  | readonly [op: 'putState', kind: string, key: string, json: string]
  | readonly [op: 'deleteState', kind: string, key: string]
  | readonly [op: 'acquireLease', name: string, holder: string, now: number, ttlMs: number]
  | readonly [op: 'releaseLease', name: string, holder: string];
export type WriteRow = LogRow | StoreRow;

/** `null`: done, nothing to say. A number: rows erased, index of the first entry, or epoch. */
export type RowResult =
  | null
  | number
  | readonly [kind: 'taken', bodySha256: string, runId: string, sealedAnswer: Uint8Array | null]
  | readonly [kind: 'closed', receiptId: string]
  | readonly [kind: 'exists', receiptId: string]
  | readonly [kind: 'fenced', highest: number]
  | readonly [kind: 'signed', size: number, note: string]
  /** The caller's mistake: this row wrote nothing, its group goes on. */
  | readonly [kind: 'refused', why: string];

export type ToWriter =
  /** The first message: keys are no part of a thread's `workerData`, which stays in memory. */
  | readonly [kind: 'open', settings: WriterSettings]
  | readonly [kind: 'group', rows: readonly WriteRow[]]
  | readonly [kind: 'close'];

export type FromWriter =
  /** Open; sizes of the tree and of its newest checkpoint. */
  | readonly [kind: 'ready', size: number, checkpointed: number]
  | readonly [kind: 'unopened', code: LedgerError['code'], message: string]
  /** Durable; sizes as in `ready`. */
  | readonly [kind: 'committed', results: readonly RowResult[], size: number, checkpointed: number]
  /** Rolled back. */
  | readonly [kind: 'failed', message: string];
