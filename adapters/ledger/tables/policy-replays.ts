import type { ReplayTotals } from '../../../core/policy/simulation/gate.ts';
import { integerOf, oneOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { indexPage, type PageQuery, type Place } from '../sqlite/index-page.ts';
import { MAX_DOCUMENT_BYTES } from './policy-versions.ts';
import { replayTotalRows } from './policy-replay-totals.ts';
import {
  numberOf,
  refused,
  unexpected,
  type Connection,
  type RowOf,
  type RowResult,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

const STATUSES = ['running', 'completed', 'failed', 'cancelled', 'aborted'] as const;

/** A replay of recorded runs that starts. */
export interface NewReplay {
  /** `rpl_…` */
  readonly replayId: string;
  readonly tenant: string;
  /** The policy that is replayed, and its version; it may be a draft. */
  readonly namespace: string;
  readonly name: string;
  readonly policyDigest: string;
  /** ms since epoch */
  readonly startedAt: number;
  /** Instance that runs it. */
  readonly owner: string;
  /** JSON text that the caller alone understands, ≤ 256 KiB of UTF-8. */
  readonly request: string;
}

/** How far a replay is, or how it ended. */
export interface ReplayUpdate {
  readonly status: (typeof STATUSES)[number];
  /** ms since epoch; null while it runs. */
  readonly endedAt: number | null;
  /** JSON text that the caller alone understands, ≤ 256 KiB of UTF-8. */
  readonly result: string;
  /** Of a completed replay: what the gate of its version decides by. They outlive the replay. */
  readonly totals?: Omit<ReplayTotals, 'policyDigest'>;
  /** The signed result, compact JWS. */
  readonly jws?: string;
}

/** A replay as lists show it. */
interface ListedReplay extends Omit<NewReplay, 'request'> {
  readonly status: ReplayUpdate['status'];
  readonly endedAt: number | null;
}

export interface StoredReplay extends ListedReplay {
  readonly request: string;
  /** Null until the first update. */
  readonly result: string | null;
  readonly jws: string | null;
}

type ReplayQuery = Pick<PageQuery, 'limit' | 'cursor'>;

interface ReplayPage {
  /** Newest first. A page may hold fewer than `limit` though more follow. */
  readonly items: readonly ListedReplay[];
  readonly nextCursor: string | null;
}

type AddReplayResult =
  | { readonly kind: 'added' }
  /** So many replays of the tenant run already: this call wrote nothing. */
  | { readonly kind: 'too-many' };

type ReplayWriteResult =
  | { readonly kind: 'done' }
  /** The replay ended before, or is unknown: this call wrote nothing. */
  | { readonly kind: 'ended' };

/** Replays of policies over recorded runs (policy.md §3.5). */
interface ReplayPort {
  /** @param maxRunning most replays of the tenant that run at a time. Must hold for concurrent calls. */
  readonly addReplay: (replay: NewReplay, maxRunning: number) => Promise<AddReplayResult>;
  /** Must change a running replay only: the first end of a replay stays. */
  readonly updateReplay: (replayId: string, update: ReplayUpdate) => Promise<ReplayWriteResult>;
  /**
   * Ends the running replays of an instance as `aborted`. Those that a process left behind are aborted when the ledger
   * is opened again.
   * @param owner null: of every instance
   * @returns their number
   */
  readonly abortReplays: (owner: string | null, endedAt: number) => Promise<number>;
  readonly replay: (tenant: string, replayId: string) => Promise<StoredReplay | undefined>;
  /** @throws RangeError limit outside 1–200, or a cursor that did not come from a page */
  readonly replays: (tenant: string, query: ReplayQuery) => Promise<ReplayPage>;
}

type ReplayOperations = {
  readonly addReplay: readonly [replay: NewReplay, maxRunning: number];
  readonly updateReplay: readonly [replayId: string, update: ReplayUpdate];
  readonly abortReplays: readonly [owner: string | null, endedAt: number];
};

const schema: TableSchema = {
  5: `CREATE TABLE policy_replays(
    id INTEGER PRIMARY KEY, replay_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, namespace TEXT NOT NULL,
    name TEXT NOT NULL, policy_digest TEXT NOT NULL, started_at INTEGER NOT NULL, owner TEXT NOT NULL,
    request TEXT NOT NULL, status TEXT NOT NULL, ended_at INTEGER, result TEXT, jws TEXT
  ) STRICT;
  CREATE INDEX policy_replays_newest ON policy_replays(tenant, started_at, replay_id);
  CREATE INDEX policy_replays_started ON policy_replays(started_at);
  CREATE INDEX policy_replays_running ON policy_replays(tenant) WHERE status = 'running';`,
};

const isTooLong = (text: string): boolean => Buffer.byteLength(text) > MAX_DOCUMENT_BYTES;
const TOO_LONG = `a text of a replay is longer than ${MAX_DOCUMENT_BYTES} bytes`;
const NOT_WHOLE = 'a time is no whole number of milliseconds';

function faultOfUpdate({ status, endedAt, result, totals, jws }: ReplayUpdate): string | undefined {
  if (endedAt !== null && !Number.isSafeInteger(endedAt)) return NOT_WHOLE;
  if ((endedAt === null) !== (status === 'running')) return 'a replay has an end unless it runs';
  if ((totals !== undefined) !== (status === 'completed')) return 'a completed replay has totals, and no other';
  if (totals !== undefined && !Object.values(totals).every(Number.isSafeInteger)) return 'a total is no whole number';
  return isTooLong(result) || isTooLong(jws ?? '') ? TOO_LONG : undefined;
}

/** Replays in the writer's thread. */
export interface ReplayRows {
  /** The number of a running replay; undefined: it ended, or is unknown. */
  readonly running: (replayId: string) => number | undefined;
  /** Numbers of the oldest ones that ended, by their start. */
  readonly startedBefore: (at: number, limit: number) => readonly number[];
  readonly erase: (id: number) => void;
}

export function replayRows(db: Connection): ReplayRows {
  const running = db.prepare(`SELECT id FROM policy_replays WHERE replay_id = ? AND status = 'running'`);
  const before = db.prepare(
    `SELECT id FROM policy_replays WHERE started_at < ? AND status <> 'running' ORDER BY started_at LIMIT ?`,
  );
  const erase = db.prepare('DELETE FROM policy_replays WHERE id = ?');
  return {
    running: (replayId) => {
      const row = running.get(replayId);
      return row && integerOf(row, 'id');
    },
    startedBefore: (at, limit) => before.all(at, limit).map((row) => integerOf(row, 'id')),
    erase: (id) => {
      erase.run(id);
    },
  };
}

export const hasRunningReplay = (db: Connection): boolean =>
  db.prepare(`SELECT 1 FROM policy_replays WHERE status = 'running' LIMIT 1`).get() !== undefined;

function replayWriters(db: WriterParts): Writers<ReplayOperations> {
  const { running } = replayRows(db);
  const totalRows = replayTotalRows(db);
  const countRunning = db.prepare(
    `SELECT count(*) AS running FROM policy_replays WHERE tenant = ? AND status = 'running'`,
  );
  const insert = db.prepare(
    `INSERT INTO policy_replays(replay_id, tenant, namespace, name, policy_digest, started_at, owner, request, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running') ON CONFLICT DO NOTHING`,
  );
  const update = db.prepare('UPDATE policy_replays SET status = ?, ended_at = ?, result = ?, jws = ? WHERE id = ?');
  const abort = db.prepare(
    `UPDATE policy_replays SET status = 'aborted', ended_at = ? WHERE status = 'running' AND owner = coalesce(?, owner)`,
  );
  return {
    addReplay: ({ replayId, tenant, namespace, name, policyDigest, startedAt, owner, request }, maxRunning) => {
      if (!Number.isSafeInteger(startedAt)) return refused(NOT_WHOLE);
      if (isTooLong(request)) return refused(TOO_LONG);
      if (integerOf(countRunning.get(tenant) ?? {}, 'running') >= maxRunning) return ['conflict', 'too many'];
      const columns = [replayId, tenant, namespace, name, policyDigest, startedAt, owner, request] as const;
      return insert.run(...columns).changes === 1 ? null : refused('the replay id is taken');
    },
    updateReplay: (replayId, change) => {
      const fault = faultOfUpdate(change);
      if (fault !== undefined) return refused(fault);
      const id = running(replayId);
      if (id === undefined) return ['missing'];
      const { status, endedAt, result, totals, jws } = change;
      update.run(status, endedAt, result, jws ?? null, id);
      if (totals !== undefined && endedAt !== null) totalRows.insert(id, totals, endedAt);
      return null;
    },
    abortReplays: (owner, endedAt) =>
      Number.isSafeInteger(endedAt) ? Number(abort.run(endedAt, owner).changes) : refused(NOT_WHOLE),
  };
}

function addResult(result: RowResult): AddReplayResult {
  if (result === null) return { kind: 'added' };
  if (typeof result === 'number' || result[0] !== 'conflict') throw unexpected(result);
  return { kind: 'too-many' };
}

/** Answer to a write that only a running replay takes. */
export function replayWriteResult(result: RowResult): ReplayWriteResult {
  if (result === null) return { kind: 'done' };
  if (typeof result === 'number' || result[0] !== 'missing') throw unexpected(result);
  return { kind: 'ended' };
}

const SUMMARY = 'replay_id, tenant, namespace, name, policy_digest, started_at, owner, status, ended_at';

const summaryOf = (row: Row): ListedReplay => ({
  replayId: textOf(row, 'replay_id'),
  tenant: textOf(row, 'tenant'),
  namespace: textOf(row, 'namespace'),
  name: textOf(row, 'name'),
  policyDigest: textOf(row, 'policy_digest'),
  startedAt: integerOf(row, 'started_at'),
  owner: textOf(row, 'owner'),
  status: oneOf(STATUSES, row, 'status'),
  endedAt: row['ended_at'] === null ? null : integerOf(row, 'ended_at'),
});

const replayOf = (row: Row): StoredReplay => ({
  ...summaryOf(row),
  request: textOf(row, 'request'),
  result: optionalTextOf(row, 'result'),
  jws: optionalTextOf(row, 'jws'),
});

const placeOf = (row: Row): Place => ({ at: integerOf(row, 'started_at'), id: textOf(row, 'replay_id') });

function replayPort({ prepare, read, write }: TableParts<RowOf<ReplayOperations>>): ReplayPort {
  const one = prepare(`SELECT ${SUMMARY}, request, result, jws FROM policy_replays WHERE replay_id = ? AND tenant = ?`);
  const newest = prepare(
    `SELECT ${SUMMARY} FROM policy_replays WHERE tenant = ? AND (started_at, replay_id) < (?, ?)
     ORDER BY started_at DESC, replay_id DESC LIMIT ?`,
  );
  const page = async (tenant: string, query: ReplayQuery): Promise<ReplayPage> => {
    const slice = ({ at, id }: Place, rows: number): readonly Row[] => newest.all(tenant, at, id, rows);
    const { rows, nextCursor } = await indexPage(query, { slice, matches: () => true, placeOf });
    return { items: rows.map(summaryOf), nextCursor };
  };
  return {
    addReplay: async (replay, maxRunning) => addResult(await write(['addReplay', replay, maxRunning])),
    updateReplay: async (replayId, update) => replayWriteResult(await write(['updateReplay', replayId, update])),
    abortReplays: async (owner, endedAt) => numberOf(await write(['abortReplays', owner, endedAt])),
    replay: (tenant, replayId) =>
      read(() => {
        const row = one.get(replayId, tenant);
        return row && replayOf(row);
      }),
    replays: (tenant, query) => read(() => page(tenant, query)),
  };
}

export const replayTable = { schema, port: replayPort, writers: replayWriters };
