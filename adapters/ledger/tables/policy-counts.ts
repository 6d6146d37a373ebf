import { integerOf, textOf } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** Runs of one caller, Orbiset and Orb on one day that were allowed and started. */
interface PolicyCount {
  readonly tenant: string;
  readonly caller: string;
  readonly orbiset: string;
  readonly orbId: string;
  readonly runs: number;
}

/**
 * How many runs there were on a day, for the facts that count. Kept as sums, because a day can have millions of
 * decisions and a starting process needs their sums before its first run.
 */
interface PolicyCountPort {
  /**
   * Sums of all tenants, of every day that has begun at `from` or later.
   * @param from start of a UTC day, ms since epoch; the sums are erased two days after their day
   * @throws RangeError `from` is no start of a day
   */
  readonly policyCounts: (from: number) => Promise<readonly PolicyCount[]>;
}

const DAY_MS = 86_400_000;

const schema: TableSchema = {
  5: `CREATE TABLE policy_counts(
    day INTEGER NOT NULL, tenant TEXT NOT NULL, caller TEXT NOT NULL, orbiset TEXT NOT NULL, orb_id TEXT NOT NULL,
    runs INTEGER NOT NULL, PRIMARY KEY (day, tenant, caller, orbiset, orb_id)
  ) STRICT, WITHOUT ROWID;`,
};

/** Sums in the writer's thread. */
export interface PolicyCountRows {
  /** Counts a run of the transaction. `store` writes it: runs of a group have few sums between them. */
  readonly add: (run: Omit<PolicyCount, 'runs'>, at: number) => void;
  /** To call at the end of each transaction. */
  readonly store: () => void;
  /** To call after a rollback: what was added and not stored did not happen. */
  readonly forget: () => void;
  /** Erases sums of days that ended two days before a time. @returns their number */
  readonly eraseBefore: (now: number, limit: number) => number;
}

export function policyCountRows(db: Connection): PolicyCountRows {
  const add = db.prepare(
    `INSERT INTO policy_counts(day, tenant, caller, orbiset, orb_id, runs) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`,
  );
  const erase = db.prepare(
    `DELETE FROM policy_counts WHERE (day, tenant, caller, orbiset, orb_id) IN (
       SELECT day, tenant, caller, orbiset, orb_id FROM policy_counts WHERE day < ? LIMIT ?)`,
  );
  const added = new Map<string, PolicyCount & { readonly day: number }>();
  return {
    add: (run, at) => {
      const day = Math.floor(at / DAY_MS);
      const key = `${day}\n${run.tenant}\n${run.caller}\n${run.orbiset}\n${run.orbId}`;
      added.set(key, { ...run, day, runs: (added.get(key)?.runs ?? 0) + 1 });
    },
    store: () => {
      for (const { day, tenant, caller, orbiset, orbId, runs } of added.values())
        add.run(day, tenant, caller, orbiset, orbId, runs);
      added.clear();
    },
    forget: () => added.clear(),
    eraseBefore: (now, limit) => Number(erase.run(Math.floor(now / DAY_MS) - 2, limit).changes),
  };
}

function policyCountPort({ prepare, read }: TableParts<never>): PolicyCountPort {
  const since = prepare(
    `SELECT tenant, caller, orbiset, orb_id, sum(runs) AS runs FROM policy_counts WHERE day >= ?
     GROUP BY tenant, caller, orbiset, orb_id`,
  );
  return {
    policyCounts: (from) =>
      read(() => {
        if (!Number.isSafeInteger(from / DAY_MS)) throw new RangeError('runs are counted by whole UTC days');
        return since.all(from / DAY_MS).map((row) => ({
          tenant: textOf(row, 'tenant'),
          caller: textOf(row, 'caller'),
          orbiset: textOf(row, 'orbiset'),
          orbId: textOf(row, 'orb_id'),
          runs: integerOf(row, 'runs'),
        }));
      }),
  };
}

/** Written with runs: `sqlite-writer/policy-writer.ts`. */
export const policyCountTable = { schema, port: policyCountPort, writers: nothing };
