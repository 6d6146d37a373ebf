import type { ReplayTotals } from '../../../core/policy/simulation/gate.ts';
import { integerOf, textOf } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** Totals of a completed replay. */
export interface StoredTotals extends ReplayTotals {
  readonly replayId: string;
  /** ms since epoch */
  readonly endedAt: number;
}

/** Totals stay when their replay is erased: a policy would stop being enforced without them. */
interface ReplayTotalsPort {
  /** Of the completed replays of one version, the newest first, at most 1 000. */
  readonly replayTotals: (namespace: string, name: string, digest: string) => Promise<readonly StoredTotals[]>;
}

const schema: TableSchema = {
  5: `CREATE TABLE policy_replay_totals(
    namespace TEXT NOT NULL, name TEXT NOT NULL, policy_digest TEXT NOT NULL, ended_at INTEGER NOT NULL,
    replay_id TEXT NOT NULL, evaluated INTEGER NOT NULL, indeterminate INTEGER NOT NULL, new_denies INTEGER NOT NULL,
    window_ms INTEGER NOT NULL, PRIMARY KEY (namespace, name, policy_digest, ended_at, replay_id)
  ) STRICT, WITHOUT ROWID;`,
};

const MAX_TOTALS = 1000;

/** Totals in the writer's thread. */
export interface ReplayTotalRows {
  /** @param replay number of the replay */
  readonly insert: (replay: number, totals: Omit<ReplayTotals, 'policyDigest'>, endedAt: number) => void;
}

export function replayTotalRows(db: Connection): ReplayTotalRows {
  const insert = db.prepare(
    `INSERT INTO policy_replay_totals(namespace, name, policy_digest, ended_at, replay_id, evaluated, indeterminate,
       new_denies, window_ms)
     SELECT namespace, name, policy_digest, ?, replay_id, ?, ?, ?, ? FROM policy_replays WHERE id = ?`,
  );
  return {
    insert: (replay, { evaluated, indeterminate, newDenies, windowMs }, endedAt) => {
      insert.run(endedAt, evaluated, indeterminate, newDenies, windowMs, replay);
    },
  };
}

function replayTotalsPort({ prepare, read }: TableParts<never>): ReplayTotalsPort {
  const ofVersion = prepare(
    `SELECT replay_id, ended_at, evaluated, indeterminate, new_denies, window_ms FROM policy_replay_totals
     WHERE namespace = ? AND name = ? AND policy_digest = ? ORDER BY ended_at DESC LIMIT ${MAX_TOTALS}`,
  );
  return {
    replayTotals: (namespace, name, digest) =>
      read(() =>
        ofVersion.all(namespace, name, digest).map((row) => ({
          replayId: textOf(row, 'replay_id'),
          endedAt: integerOf(row, 'ended_at'),
          policyDigest: digest,
          evaluated: integerOf(row, 'evaluated'),
          indeterminate: integerOf(row, 'indeterminate'),
          newDenies: integerOf(row, 'new_denies'),
          windowMs: integerOf(row, 'window_ms'),
        })),
      ),
  };
}

/** Written with replays: `policy-replays.ts`. */
export const replayTotalTable = { schema, port: replayTotalsPort, writers: nothing };
