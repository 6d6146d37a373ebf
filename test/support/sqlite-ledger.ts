import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { LedgerError, type Ledger } from '../../adapters/ledger/port.ts';
import { openSqliteLedger, type SqliteLedgerOptions } from '../../adapters/ledger/sqlite-ledger.ts';
import { serveWriter } from '../../adapters/ledger/sqlite-writer/serve-writer.ts';
import type { StartWriter } from '../../adapters/ledger/sqlite/writer-handle.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { LEDGER_NOW } from './ledger-rows.ts';

const pair = generateKeyPairSync('ed25519');

/** One log key for all tests of a process. */
export const testLogKey = {
  privateKey: pair.privateKey,
  publicKey: Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'),
};
export const testLogKeyPublic: KeyObject = pair.publicKey;

/** Options of a ledger of tests, by default with bytes of zeros in place of random ones and a clock that stands still. */
export const testLedgerOptions = (file: string, more: Partial<SqliteLedgerOptions> = {}): SqliteLedgerOptions => ({
  file,
  identity: { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log' },
  logKey: testLogKey,
  dataKey: new Uint8Array(32),
  clock: createFakeClock(LEDGER_NOW),
  random: (size) => new Uint8Array(size),
  ...more,
});

export interface SqliteFixture {
  readonly folder: string;
  readonly options: SqliteLedgerOptions;
  readonly clock: FakeClock;
  readonly logKey: KeyObject;
  readonly ledger: Ledger;
  readonly current: () => Promise<Ledger>;
  readonly reopen: () => Promise<Ledger>;
  readonly dispose: () => Promise<void>;
}

const isClosed = (error: unknown): boolean => error instanceof LedgerError && error.code === 'ledger-closed';

/** A writer on the thread of the tests: a thread of its own loads its modules anew, 0.1 s each time. */
export const writerOnThisThread: StartWriter = ({ onMessage, onEnd }) => {
  const { port1, port2 } = new MessageChannel();
  const ended = new Promise<void>((resolve) => port1.once('close', resolve));
  port1.on('message', onMessage).on('close', () => onEnd(undefined));
  serveWriter(port2);
  return { post: (message) => port1.postMessage(message), ended, terminate: () => Promise.resolve(port1.close()) };
};

const SHARED_MEMORY = '/dev/shm';
const ROOM_BYTES = 512 * 1_048_576;

/** A folder in memory where there is room, as a sync to a disk takes most of the time of a commit. */
function quickFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize < ROOM_BYTES ? tmpdir() : SHARED_MEMORY;
  } catch {
    return tmpdir();
  }
}

/** An empty SQLite ledger in its own folder, on a clock that stands still. */
async function openFixture(place: string, writer: Pick<SqliteLedgerOptions, 'startWriter'>): Promise<SqliteFixture> {
  const folder = mkdtempSync(join(place, 'orb-ledger-'));
  const clock = createFakeClock(LEDGER_NOW);
  const file = join(folder, 'ledger.sqlite');
  const options = testLedgerOptions(file, {
    dataKey: randomBytes(32),
    clock,
    random: randomBytes,
    ...writer,
  });
  const ledger = await openSqliteLedger(options);
  let current = ledger;
  const reopen = async (): Promise<Ledger> => {
    await current.close();
    current = await openSqliteLedger(options);
    return current;
  };
  return {
    folder,
    options,
    clock,
    logKey: pair.publicKey,
    ledger,
    reopen,
    current: async () => {
      try {
        await current.logSize();
        return current;
      } catch (error) {
        if (!isClosed(error)) throw error;
        return reopen();
      }
    },
    dispose: async () => {
      await current.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** For unit tests of what uses a ledger. */
export const openSqliteFixture = (): Promise<SqliteFixture> =>
  openFixture(quickFolder(), { startWriter: writerOnThisThread });

/** For longer tests of what uses a ledger: with the thread of the product. */
export const openThreadedFixture = (): Promise<SqliteFixture> => openFixture(quickFolder(), {});

/** For tests of the ledger: with the thread of the product, on a disk. */
export const openDiskFixture = (): Promise<SqliteFixture> => openFixture(tmpdir(), {});
