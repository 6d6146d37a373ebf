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

/** How far an older ledger is brought up to date, while nothing else can use it. */
export type UpgradeProgress =
  /** Its runs that have a receipt lose their rows: said once, before. */
  | { readonly work: 'runs' }
  /** Its log is read again: entries that were read, of all. */
  | { readonly work: 'log'; readonly done: number; readonly total: number }
  /** The rows of its tenants are counted. */
  | { readonly work: 'usage'; readonly done: number };

export type OnUpgrading = (progress: UpgradeProgress) => void;

type Upgrading = readonly [kind: 'upgrading', progress: UpgradeProgress];

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

export type FromWriter = Reply | Upgrading;
