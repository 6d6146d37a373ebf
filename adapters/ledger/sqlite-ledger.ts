import { DatabaseSync } from 'node:sqlite';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Clock } from '../time/clock.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { LedgerError, type Ledger, type LogGate } from './port.ts';
import { CheckpointSchedule } from './sqlite/checkpoint-schedule.ts';
import { lockForProcess, type ProcessLock } from './sqlite/process-lock.ts';
import type { LogKey, OnUpgrading } from './sqlite/protocol.ts';
import { ledgerError } from './sqlite/sqlite-error.ts';
import { WriterHandle, type OpenedFile, type StartWriter } from './sqlite/writer-handle.ts';
import type { SignedCheckpoint } from './tables/checkpoints.ts';
import type { LedgerIdentity } from './tables/identity.ts';
import { hasRunningReplay } from './tables/policy-replays.ts';
import type { RowResult, TableParts } from './tables/table.ts';
import { TABLES, type TablePorts, type WriteRow } from './tables/tables.ts';

export interface SqliteLedgerOptions {
  /** Path of `ledger.sqlite`; a missing folder is made. Files beside it: `-wal`, `-shm`, `.lock`. */
  readonly file: string;
  readonly identity: LedgerIdentity;
  /** Signs checkpoints, in the writer's thread. */
  readonly logKey: LogKey;
  /** AES-256 key of stored answers, 32 bytes. */
  readonly dataKey: Uint8Array;
  readonly clock: Clock;
  /** Cryptographic random bytes, for nonces. */
  readonly random: (size: number) => Uint8Array;
  /** Holds back new log entries and checkpoints; absent: they are never held back. */
  readonly gate?: LogGate;
  /** Called with each checkpoint after its commit. */
  readonly onCheckpoint?: (checkpoint: SignedCheckpoint) => void;
  /** Called while the log of an older ledger is read again, at each 100 000 entries (trust.md §5.2). */
  readonly onUpgrading?: OnUpgrading;
  /** Called when the log is found to be damaged: from then on it does not grow and is not signed. Reads go on. */
  readonly onFault?: (fault: string) => void;
  /** Starts the writer; absent: in a thread of its own. */
  readonly startWriter?: StartWriter;
}

// performance.md §3.3
const MAX_GROUP_ROWS = 512;

/**
 * Makes missing files and folders, readable by their owner only: receipts and answers are private to their tenants.
 * SQLite gives `-wal` and `-shm` the mode of the file itself. An existing file is never opened: closing it would drop
 * every lock that this process holds on it (POSIX).
 * @returns the first folder that had to be made
 */
function prepareFiles(file: string): string | undefined {
  const made = mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  for (const path of [file, `${file}.lock`]) {
    try {
      closeSync(openSync(path, 'wx', 0o600));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
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

/**
 * The name of a new file is durable only when its folder is synced. The name of a new folder needs a sync of its
 * parent.
 */
function syncNames(file: string, made: string | undefined): void {
  const last = made === undefined ? dirname(resolve(file)) : dirname(resolve(made));
  for (let folder = dirname(resolve(file)); folder.length > last.length; folder = dirname(folder)) syncFolder(folder);
  syncFolder(last);
}

const OPEN: LogGate = { refusal: () => undefined, opened: Promise.resolve() };

type Read = TableParts<WriteRow>['read'];

/** The connection of reads that take several turns. Most ledgers never need it. */
class LongReads {
  readonly #file: string;
  #connection: DatabaseSync | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  readonly connection = (): DatabaseSync => {
    this.#connection ??= openReader(this.#file);
    return this.#connection;
  };

  /** A read that is under way rejects. */
  close(): void {
    this.#connection?.close();
  }
}

const openReader = (file: string): DatabaseSync => new DatabaseSync(file, { readOnly: true, timeout: 0 });

interface Parts {
  readonly lock: ProcessLock;
  readonly writer: WriterHandle;
  /**
   * The read-only connection. A read takes a bounded number of rows by an index. WAL shows it committed and synced
   * transactions only, and it never waits for the writer.
   */
  readonly reader: DatabaseSync;
  readonly longReads: LongReads;
  readonly queue: GroupCommit<WriteRow, RowResult>;
  readonly schedule: CheckpointSchedule;
  readonly ports: TablePorts;
}

/** The part of the port that the tables answer. */
function portOfTables(
  { reader, longReads, queue }: Pick<Parts, 'reader' | 'longReads' | 'queue'>,
  options: SqliteLedgerOptions,
  read: Read,
): TablePorts {
  const { clock, random, dataKey, gate = OPEN } = options;
  let logged = 0;
  return TABLES.port({
    prepare: (sql) => reader.prepare(sql),
    longReads: longReads.connection,
    read,
    write: (row) => queue.add(row),
    writeLong: (row) => queue.addLong(row),
    writeLogged: (row) => {
      logged += 1;
      const refusal = gate.refusal();
      return refusal === undefined ? queue.add(row) : Promise.reject(refusal);
    },
    loggedRows: () => logged,
    now: clock.now,
    random,
    dataKey,
  });
}

/** What a ledger is opened with. */
interface Opening {
  readonly options: SqliteLedgerOptions;
  readonly lock: ProcessLock;
  readonly read: Read;
}

function startParts({ options, lock, read }: Opening, writer: WriterHandle): Parts {
  const { file, clock, onCheckpoint, gate = OPEN } = options;
  const reader = openReader(file);
  const longReads = new LongReads(file);
  const queue: GroupCommit<WriteRow, RowResult> = createGroupCommit({
    flush: (rows, { committed, failed }) =>
      writer.flush(rows, {
        committed: ({ results, size, checkpointed }) => {
          schedule.grown(size, checkpointed);
          committed(results);
        },
        failed,
      }),
    maxRows: MAX_GROUP_ROWS,
    monotonic: clock.monotonic,
    defer: setImmediate,
  });
  const schedule = new CheckpointSchedule({ clock, queue, onCheckpoint, gate });
  const ports = portOfTables({ reader, longReads, queue }, options, read);
  return { lock, writer, reader, longReads, queue, schedule, ports };
}

/**
 * A crash may have come between growth and its checkpoint. Then the checkpoint is signed before the first read, or when
 * the gate opens.
 */
async function signWhatIsLeft(
  { schedule }: Parts,
  found: OpenedFile,
  { gate = OPEN }: SqliteLedgerOptions,
): Promise<void> {
  if (found.size <= found.checkpointed) return;
  if (gate.refusal() === undefined) await schedule.sign();
  else void gate.opened.then(() => schedule.grown(found.size, found.checkpointed));
}

/** One process has a ledger: the threads of replays that run in its rows ended with the process before. */
async function abortLostReplays({ reader, ports }: Parts, { clock }: SqliteLedgerOptions): Promise<void> {
  if (hasRunningReplay(reader)) await ports.abortReplays(null, clock.now());
}

/** The gate of the options, and one that a damaged log closes for good. */
function gateOfLog({ gate = OPEN, onFault }: SqliteLedgerOptions): {
  readonly gate: LogGate;
  readonly close: (fault: string) => void;
} {
  let refusal: LedgerError | undefined;
  return {
    gate: { opened: gate.opened, refusal: () => refusal ?? gate.refusal() },
    close: (fault) => {
      refusal = new LedgerError('ledger-forked', fault);
      onFault?.(fault);
    },
  };
}

async function openParts({ lock, read, ...rest }: Opening, made: string | undefined): Promise<Parts> {
  const { gate, close } = gateOfLog(rest.options);
  const options = { ...rest.options, gate };
  const { file, identity, logKey, startWriter: start, onUpgrading } = options;
  // Copies: a view into a pool would send the whole pool to the thread.
  const key = { privateKey: logKey.privateKey, publicKey: Uint8Array.from(logKey.publicKey) };
  const settings = { file, identity, logKey: key, dataKey: Uint8Array.from(options.dataKey) };
  const writer = new WriterHandle(settings, { start, onUpgrading, onFault: close });
  const found = await writer.open();
  if (found.fault !== null) close(found.fault);
  let parts: Parts | undefined;
  try {
    syncNames(file, made);
    parts = startParts({ options, lock, read }, writer);
    await signWhatIsLeft(parts, found, options);
    await abortLostReplays(parts, options);
    return parts;
  } catch (error) {
    parts?.schedule.stop();
    parts?.reader.close();
    await writer.close();
    throw error;
  }
}

async function closeParts({ lock, writer, reader, longReads, queue, schedule }: Parts): Promise<void> {
  schedule.stop();
  // A full disk loses no data here: the checkpoint is signed by the next start.
  const last = schedule.sign().catch(() => undefined);
  await queue.drain();
  await last;
  reader.close();
  longReads.close();
  await writer.close();
  lock.release();
}

/** Turns every failure of the database into a LedgerError. */
const guarded =
  (isClosed: () => boolean): Read =>
  async (query) => {
    if (isClosed()) throw new LedgerError('ledger-closed', 'the ledger is closed');
    try {
      return await query();
    } catch (error) {
      throw ledgerError(error);
    }
  };

/**
 * Opens an embedded ledger, and makes a missing one: one process, one writer thread, reads on this thread.
 * @throws LedgerError `ledger-locked` another process has it (at once); `ledger-identity`, `ledger-version` it belongs
 *   to another program; `ledger-unavailable` its disk or file is broken
 */
export async function openSqliteLedger(options: SqliteLedgerOptions): Promise<Ledger> {
  const { file, identity } = options;
  let closing: Promise<void> | undefined;
  const read = guarded(() => closing !== undefined);
  let parts: Parts;
  try {
    const made = prepareFiles(file);
    const lock = lockForProcess(file, process.pid);
    parts = await openParts({ options, lock, read }, made).catch((error: unknown) => {
      lock.release();
      throw error;
    });
  } catch (error) {
    throw ledgerError(error);
  }
  return {
    identity: { issuer: identity.issuer, logOrigin: identity.logOrigin },
    ...parts.ports,
    load: () => parts.queue.load(),
    commits: () => parts.queue.commits(),
    close: () => {
      closing ??= closeParts(parts);
      return closing;
    },
  };
}
