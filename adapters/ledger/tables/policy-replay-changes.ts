import { integerOf, textOf } from '../sqlite/columns.ts';
import { checkLimit } from '../sqlite/index-page.ts';
import { MAX_JSON_BYTES } from './policy-decisions.ts';
import { replayRows, replayWriteResult } from './policy-replays.ts';
import {
  refused,
  type Connection,
  type RowOf,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

/** A run that a replay decides otherwise. */
interface ReplayChange {
  /** From 0, in the order in which they were added. */
  readonly position: number;
  /** JSON text that the caller alone understands, ≤ 64 KiB of UTF-8. */
  readonly json: string;
}

/** Changes that replays found. */
interface ReplayChangePort {
  /** Adds changes behind those that there are, at most 1 000 a call; only while the replay runs. */
  readonly addReplayChanges: (
    replayId: string,
    jsons: readonly string[],
  ) => Promise<{ readonly kind: 'done' } | { readonly kind: 'ended' }>;
  /**
   * In their order, from a position on.
   * @throws RangeError limit outside 1–200, or a position below 0
   */
  readonly replayChanges: (
    tenant: string,
    replayId: string,
    query: { readonly from: number; readonly limit: number },
  ) => Promise<readonly ReplayChange[]>;
}

type ReplayChangeOperations = { readonly addReplayChanges: readonly [replayId: string, jsons: readonly string[]] };

const schema: TableSchema = {
  5: `CREATE TABLE policy_replay_changes(
    replay INTEGER NOT NULL, position INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (replay, position)
  ) STRICT, WITHOUT ROWID;`,
};

const MAX_CHANGES_A_CALL = 1000;

/** Changes in the writer's thread. */
export interface ReplayChangeRows {
  /** Erases changes of a replay. @returns their number, at most `limit` */
  readonly erase: (replay: number, limit: number) => number;
}

export function replayChangeRows(db: Connection): ReplayChangeRows {
  const erase = db.prepare(
    `DELETE FROM policy_replay_changes WHERE replay = ? AND position IN (
       SELECT position FROM policy_replay_changes WHERE replay = ? LIMIT ?)`,
  );
  return { erase: (replay, limit) => Number(erase.run(replay, replay, limit).changes) };
}

function faultOf(jsons: readonly string[]): string | undefined {
  if (jsons.length > MAX_CHANGES_A_CALL) return `more than ${MAX_CHANGES_A_CALL} changes in one call`;
  const isTooLong = jsons.some((json) => Buffer.byteLength(json) > MAX_JSON_BYTES);
  return isTooLong ? `a change is longer than ${MAX_JSON_BYTES} bytes` : undefined;
}

function replayChangeWriters(db: WriterParts): Writers<ReplayChangeOperations> {
  const { running } = replayRows(db);
  const next = db.prepare(
    'SELECT coalesce(max(position) + 1, 0) AS position FROM policy_replay_changes WHERE replay = ?',
  );
  const insert = db.prepare('INSERT INTO policy_replay_changes(replay, position, json) VALUES (?, ?, ?)');
  return {
    addReplayChanges: (replayId, jsons) => {
      const fault = faultOf(jsons);
      if (fault !== undefined) return refused(fault);
      const replay = running(replayId);
      if (replay === undefined) return ['missing'];
      const first = integerOf(next.get(replay) ?? {}, 'position');
      for (const [index, json] of jsons.entries()) insert.run(replay, first + index, json);
      return null;
    },
  };
}

function replayChangePort({ prepare, read, write }: TableParts<RowOf<ReplayChangeOperations>>): ReplayChangePort {
  const slice = prepare(
    `SELECT position, json FROM policy_replay_changes
     WHERE replay = (SELECT id FROM policy_replays WHERE replay_id = ? AND tenant = ?) AND position >= ?
     ORDER BY position LIMIT ?`,
  );
  return {
    addReplayChanges: async (replayId, jsons) =>
      replayWriteResult(await write(['addReplayChanges', replayId, [...jsons]])),
    replayChanges: (tenant, replayId, { from, limit }) =>
      read(() => {
        checkLimit(limit);
        if (!Number.isSafeInteger(from) || from < 0) throw new RangeError('a position is 0 or more');
        return slice
          .all(replayId, tenant, from, limit)
          .map((row) => ({ position: integerOf(row, 'position'), json: textOf(row, 'json') }));
      }),
  };
}

export const replayChangeTable = { schema, port: replayChangePort, writers: replayChangeWriters };
