import type { KeyObject } from 'node:crypto';
import type { RunOutcome } from '../../../core/receipt/record.ts';
import type { LedgerError, LedgerIdentity } from '../port.ts';
import type { RowResult } from '../tables/table.ts';
import type { TableRow } from '../tables/tables.ts';

/** Settings that the writer's thread is given at its start. */
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
/** Rows that change the log or a run, or claim a key like a run. */
export type LogRow =
  | StartRow
  | FinishRow
  | AnswerRow
  | readonly [op: 'record', start: StartRow, finish: FinishRow]
  | SwapRow
  | readonly [op: 'append', entries: readonly string[]]
  | readonly [op: 'checkpoint'];
/** Claims of answers that expired. */
export type EraseRow = readonly [op: 'erase', now: number, limit: number];
export type WriteRow = LogRow | EraseRow | TableRow;

export type ToWriter =
  /** The first message. Keys are not passed in `workerData`, because a thread keeps that in memory. */
  | readonly [kind: 'open', settings: WriterSettings]
  | readonly [kind: 'group', rows: readonly WriteRow[]]
  | readonly [kind: 'close'];

export type FromWriter =
  /** The file is open; sizes of the tree and of its newest checkpoint. */
  | readonly [kind: 'ready', size: number, checkpointed: number]
  | readonly [kind: 'unopened', code: LedgerError['code'], message: string]
  /** The rows are durable; sizes as in `ready`. */
  | readonly [kind: 'committed', results: readonly RowResult[], size: number, checkpointed: number]
  /** The group was rolled back. */
  | readonly [kind: 'failed', message: string];
