import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../time/clock.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { LedgerError, type Ledger, type LedgerIdentity, type LogGate, type SignedCheckpoint } from './port.ts';
import { CheckpointSchedule } from './sqlite/checkpoint-schedule.ts';
import { lockForProcess, type ProcessLock } from './sqlite/process-lock.ts';
import type { LogKey, RowResult, WriteRow } from './sqlite/protocol.ts';
import { Reader } from './sqlite/reader.ts';
import { ledgerError } from './sqlite/sqlite-error.ts';
import { WriterHandle, type Committed } from './sqlite/writer-handle.ts';
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
  /** Holds back what the log grows by, and its checkpoints; absent: nothing does. */
  readonly gate?: LogGate;
  /** Told of each checkpoint after its commit. */
  readonly onCheckpoint?: (checkpoint: SignedCheckpoint) => void;
}

// performance.md §3.3
const MAX_GROUP_ROWS = 512;

const isThere = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/**
 * Makes what is missing, readable by its owner only: receipts and answers are their tenants' own. SQLite gives `-wal`
 * and `-shm` the mode of the file itself. A file that is there is never opened: to close it again would drop every lock
 * that this process holds on it (POSIX).
 * @returns the first folder that had to be made
 */
function prepareFiles(file: string): string | undefined {
  const made = mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  for (const path of [file, `${file}.lock`]) {
    try {
      closeSync(openSync(path, 'wx', 0o600));
    } catch (error) {
      if (!isThere(error)) throw error;
      chmodSync(path, 0o600);
    }
  }
  return made;
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The name of a new file is durable only when its folder is, that of a new folder when the one above it is. */
function syncNames(file: string, made: string | undefined): void {
  const last = made === undefined ? dirname(resolve(file)) : dirname(resolve(made));
  for (let folder = dirname(resolve(file)); folder.length > last.length; folder = dirname(folder)) syncFolder(folder);
  syncFolder(last);
}

const OPEN: LogGate = { refusal: () => undefined, opened: Promise.resolve() };

type Found = Omit<Committed, 'results'>;

interface Parts {
  readonly lock: ProcessLock;
  readonly writer: WriterHandle;
  readonly reader: Reader;
  readonly queue: GroupCommit<WriteRow, RowResult>;
  readonly schedule: CheckpointSchedule;
}

function startParts(options: SqliteLedgerOptions, lock: ProcessLock, writer: WriterHandle): Parts {
  const { file, dataKey, clock, onCheckpoint, gate = OPEN } = options;
  const reader = new Reader(file, dataKey);
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
  const schedule = new CheckpointSchedule({ clock, queue, onCheckpoint, gate });
  return { lock, writer, reader, queue, schedule };
}

/** After a crash between growth and its checkpoint: it is signed before anybody reads, or when the gate opens. */
async function signWhatIsLeft({ schedule }: Parts, found: Found, { gate = OPEN }: SqliteLedgerOptions): Promise<void> {
  if (found.size <= found.checkpointed) return;
  if (gate.refusal() === undefined) await schedule.sign();
  else void gate.opened.then(() => schedule.grown(found.size, found.checkpointed));
}

async function openParts(options: SqliteLedgerOptions, lock: ProcessLock, made: string | undefined): Promise<Parts> {
  const { file, identity, logKey } = options;
  // Copies: a view into a pool would send the whole pool to the thread.
  const key = { privateKey: logKey.privateKey, publicKey: Uint8Array.from(logKey.publicKey) };
  const writer = new WriterHandle({ file, identity, logKey: key, dataKey: Uint8Array.from(options.dataKey) });
  const found = await writer.open();
  let parts: Parts | undefined;
  try {
    syncNames(file, made);
    parts = startParts(options, lock, writer);
    await signWhatIsLeft(parts, found, options);
    return parts;
  } catch (error) {
    parts?.schedule.stop();
    parts?.reader.close();
    await writer.close();
    throw error;
  }
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
    swapReceipt: (tenant, receiptId) => read(() => reader.swapReceipt(tenant, receiptId)),
    lastSwap: (tenant, orbUid) => read(() => reader.lastSwap(tenant, orbUid)),
    hasPublished: (orbId, digest) => read(() => reader.hasPublished(orbId, digest)),
    manifest: (tenant, digest) => read(() => reader.manifest(tenant, digest)),
    checkpoint: () => read(() => reader.checkpoint()),
    checkpointCovering: (index) => read(() => reader.checkpointCovering(index)),
    inclusionProof: (index, size) => read(() => reader.inclusionProof(index, size)),
    consistencyProof: (first, second) => read(() => reader.consistencyProof(first, second)),
    entries: (from, to) => read(() => reader.entries(from, to)),
    logSize: () => read(() => reader.logSize()),
    rootAt: (size) => read(() => reader.rootAt(size)),
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
    const made = prepareFiles(file);
    const lock = lockForProcess(file, process.pid);
    parts = await openParts(options, lock, made).catch((error: unknown) => {
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
    ...createWrites({
      queue: parts.queue,
      reader: parts.reader,
      clock,
      random: options.random,
      gate: options.gate ?? OPEN,
    }),
    load: () => parts.queue.load(),
    close: () => {
      closing ??= closeParts(parts);
      return closing;
    },
  };
}
