import type { KeyObject } from 'node:crypto';
import type { LedgerError } from '../port.ts';
import type { LedgerIdentity } from '../tables/identity.ts';
import type { RowResult } from '../tables/table.ts';
import type { WriteRow } from '../tables/tables.ts';

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

export type ToWriter =
  /** The first message. Keys are not passed in `workerData`, because a thread keeps that in memory. */
  | readonly [kind: 'open', settings: WriterSettings]
  | readonly [kind: 'group', rows: readonly WriteRow[]]
  | readonly [kind: 'close'];

/** Called while the log of an older ledger is read again, with the number of entries that were read, of all. */
export type OnFolding = (done: number, total: number) => void;

type Folding = readonly [kind: 'folding', done: number, total: number];

/** The answer to a message. */
export type Reply =
  /**
   * The file is open; sizes of the tree and of its newest checkpoint. `fault`: why its log must not grow; then the
   * writer refuses every group that would let it.
   */
  | readonly [kind: 'ready', size: number, checkpointed: number, fault: string | null]
  | readonly [kind: 'unopened', code: LedgerError['code'], message: string]
  /** The rows are durable; sizes as in `ready`. */
  | readonly [kind: 'committed', results: readonly RowResult[], size: number, checkpointed: number]
  /** The group was rolled back. */
  | readonly [kind: 'failed', message: string];

export type FromWriter = Reply | Folding;
