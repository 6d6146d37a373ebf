import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../time/clock.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { LedgerError, type Ledger, type LedgerIdentity, type SignedCheckpoint } from './port.ts';
import { CheckpointSchedule } from './sqlite/checkpoint-schedule.ts';
import { lockForProcess, type ProcessLock } from './sqlite/process-lock.ts';
import type { LogKey, RowResult, WriteRow } from './sqlite/protocol.ts';
import { Reader } from './sqlite/reader.ts';
import { ledgerError } from './sqlite/sqlite-error.ts';
import { WriterHandle } from './sqlite/writer-handle.ts';
import { createWrites } from './sqlite/writes.ts';

export interface SqliteLedgerOptions {
  /** Path of `ledger.sqlite`; its folder is made when missing. Beside it: `-wal`, `-shm`, `.lock`. */
  readonly file: string;
  readonly identity: LedgerIdentity;
  /** Signs checkpoints, in the writer's thread. */
  readonly logKey: LogKey;
  /** AES-256 key of stored answers, 32 bytes. */
  readonly dataKey: Uint8Array;
  readonly clock: Clock;
  /** Cryptographic random bytes: nonces. */
  readonly random: (size: number) => Uint8Array;
  /** Told of each checkpoint after its commit. */
  readonly onCheckpoint?: (checkpoint: SignedCheckpoint) => void;
}

// performance.md §3.3
const MAX_GROUP_ROWS = 512;

/** Receipts and answers are their tenants' own: nobody else on the machine reads them. */
function prepareFiles(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite gives `-wal` and `-shm` the mode of the file itself.
  for (const path of [file, `${file}.lock`]) {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  }
}

/** The names of new files are durable only when their folder is. */
function syncFolder(file: string): void {
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

interface Parts {
  readonly lock: ProcessLock;
  readonly writer: WriterHandle;
  readonly reader: Reader;
  readonly queue: GroupCommit<WriteRow, RowResult>;
  readonly schedule: CheckpointSchedule;
}

async function openParts(options: SqliteLedgerOptions, lock: ProcessLock): Promise<Parts> {
  const { file, identity, logKey, clock } = options;
  // Copies: a view into a pool would send the whole pool to the thread.
  const key = { privateKey: logKey.privateKey, publicKey: Uint8Array.from(logKey.publicKey) };
  const writer = new WriterHandle({ file, identity, logKey: key, dataKey: Uint8Array.from(options.dataKey) });
  const found = await writer.open();
  syncFolder(file);
  const reader = new Reader(file, options.dataKey);
  const queue: GroupCommit<WriteRow, RowResult> = createGroupCommit({
    flush: async (rows) => {
      const committed = await writer.flush(rows);
      schedule.grown(committed.size, committed.checkpointed);
      return committed.results;
    },
    maxRows: MAX_GROUP_ROWS,
    lanes: 1,
    monotonic: clock.monotonic,
    defer: setImmediate,
  });
  const schedule = new CheckpointSchedule({ clock, queue, onCheckpoint: options.onCheckpoint });
  // A crash between growth and its checkpoint: signed before anybody reads.
  if (found.size > found.checkpointed) await schedule.sign();
  return { lock, writer, reader, queue, schedule };
}

async function closeParts({ lock, writer, reader, queue, schedule }: Parts): Promise<void> {
  schedule.stop();
  // A full disk loses nothing here: the checkpoint is signed by the next start.
  const last = schedule.sign().catch(() => undefined);
  await queue.drain();
  await last;
  reader.close();
  await writer.close();
  lock.release();
}

/** Reads of an open ledger; every failure of the database is the adapter's error. */
function createReads(reader: Reader, clock: Clock, isClosed: () => boolean) {
  const read = async <T>(ask: () => T | Promise<T>): Promise<T> => {
    if (isClosed()) throw new LedgerError('ledger-closed', 'the ledger is closed');
    try {
      return await ask();
    } catch (error) {
      throw ledgerError(error);
    }
  };
  return {
    overdueRuns: (before, limit) => read(() => reader.overdueRuns(before, limit)),
    idempotent: (tenant, path, key) => read(() => reader.idempotent({ tenant, path, key }, clock.now())),
    receipt: (tenant, receiptId) => read(() => reader.receipt(tenant, receiptId)),
    receiptOfRun: (tenant, runId) => read(() => reader.receiptOfRun(tenant, runId)),
    receipts: (tenant, query) => read(() => reader.receipts(tenant, query)),
    manifest: (tenant, digest) => read(() => reader.manifest(tenant, digest)),
    checkpoint: () => read(() => reader.checkpoint()),
    checkpointCovering: (index) => read(() => reader.checkpointCovering(index)),
    inclusionProof: (index, size) => read(() => reader.inclusionProof(index, size)),
    consistencyProof: (first, second) => read(() => reader.consistencyProof(first, second)),
    entries: (from, to) => read(() => reader.entries(from, to)),
    logSize: () => read(() => reader.logSize()),
    state: (kind, key) => read(() => reader.state(kind, key)),
    states: (kind) => read(() => reader.states(kind)),
  } satisfies Partial<Ledger>;
}

/**
 * Opens, and makes when missing, an embedded ledger: one process, one writer thread, reads on this thread.
 * @throws LedgerError `ledger-locked` another process has it (at once); `ledger-identity`, `ledger-version` it is not
 *   this program's; `ledger-unavailable` its disk or file is broken
 */
export async function openSqliteLedger(options: SqliteLedgerOptions): Promise<Ledger> {
  const { file, identity, clock } = options;
  let parts: Parts;
  try {
    prepareFiles(file);
    const lock = lockForProcess(file, process.pid);
    parts = await openParts(options, lock).catch((error: unknown) => {
      lock.release();
      throw error;
    });
  } catch (error) {
    throw ledgerError(error);
  }
  let closing: Promise<void> | undefined;
  return {
    identity: { issuer: identity.issuer, logOrigin: identity.logOrigin },
    ...createReads(parts.reader, clock, () => closing !== undefined),
    ...createWrites({ queue: parts.queue, reader: parts.reader, clock, random: options.random }),
    load: () => parts.queue.load(),
    close: () => {
      closing ??= closeParts(parts);
      return closing;
    },
  };
}
