import type { StatementSync } from 'node:sqlite';
import { integerOf, textOf } from '../sqlite/columns.ts';
import { entryOf, tagOf, type IdempotencyClaim, type IdempotencyEntry } from './idempotency.ts';
import { finishRow, type FinishRow, type RunFinish } from './receipts.ts';
import { startPolicyColumns, type StartPolicy, type StartPolicyColumns } from './run-policy.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** Committed before the first byte goes to a provider (trust.md §1.5, phase 1). Times: ms since epoch. */
export interface RunStart {
  readonly runId: string;
  readonly tenant: string;
  readonly startedAt: number;
  /** The run's own deadline; the sweeper closes it 60 s later. */
  readonly deadlineAt: number;
  /** Instance that owns the run. */
  readonly owner: string;
  /** JSON text from which the sweeper can write the receipt of a lost run; holds no secret and no input. */
  readonly seed: string;
  /** Present when the caller sent `Idempotency-Key`: claimed in the same transaction. */
  readonly idempotency?: IdempotencyClaim;
  /** Written in the same transaction. */
  readonly policy?: StartPolicy;
}

type StartResult =
  | { readonly kind: 'started' }
  /** The key is in use: this run was not written. */
  | { readonly kind: 'idempotent'; readonly entry: IdempotencyEntry }
  /** A grant is used, expired at `startedAt`, of another run, or unknown: this run was not written. */
  | { readonly kind: 'grant-used' };

export interface OverdueRun {
  readonly runId: string;
  readonly tenant: string;
  readonly startedAt: number;
  readonly deadlineAt: number;
  readonly seed: string;
}

/** Runs from their start to their receipt. */
interface RunPort {
  readonly startRun: (start: RunStart) => Promise<StartResult>;
  /** Start and finish in one transaction (a denied run). */
  readonly recordRun: (start: RunStart, finish: RunFinish) => Promise<StartResult>;
  /** Runs without a receipt whose deadline lies before `before`, oldest first. Never returns a closed run. */
  readonly overdueRuns: (before: number, limit: number) => Promise<readonly OverdueRun[]>;
}

export type StartRow = readonly [
  op: 'start',
  runId: string,
  tenant: string,
  startedAt: number,
  deadlineAt: number,
  owner: string,
  seed: string,
  claimPath: string | null,
  claimKey: string,
  claimBodySha256: string,
  claimExpiresAt: number,
  /** Not in the array of a run without policies. */
  policy?: StartPolicyColumns,
];
export type RecordRow = readonly [op: 'record', start: StartRow, finish: FinishRow];

/** Since this version a run is a row only until its receipt is there. */
export const OPEN_RUNS_VERSION = 8;

const schema: TableSchema = {
  1: `CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('started', 'closed')),
    started_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL, owner TEXT NOT NULL, seed TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_open ON runs(deadline_at) WHERE state = 'started';`,
  // A page a start, where a table of all runs and an index of the open ones took four: the few open runs need no index.
  // 200 bytes beside its seed are what schema 7 counted for a run.
  [OPEN_RUNS_VERSION]: `ALTER TABLE runs RENAME TO all_runs;
  CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, started_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL,
    owner TEXT NOT NULL, seed TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO runs SELECT run_id, tenant, started_at, deadline_at, owner, seed FROM all_runs WHERE state = 'started';
  UPDATE tenant_usage SET row_count = row_count - gone.runs, bytes = bytes - gone.size
    FROM (SELECT tenant, count(*) AS runs, sum(200 + octet_length(seed)) AS size FROM all_runs GROUP BY tenant) AS gone
    WHERE gone.tenant = tenant_usage.tenant;
  DROP TABLE all_runs;`,
};

/** Runs in the writer's thread. */
export interface RunRows {
  /** Changes nothing when the id is that of an open or of a closed run. */
  readonly insert: StatementSync;
  readonly drop: StatementSync;
  /** Drops the row; changes nothing unless this tenant's run is open. */
  readonly close: StatementSync;
}

export const runRows = (db: Connection): RunRows => ({
  insert: db.prepare(
    `INSERT INTO runs(run_id, tenant, started_at, deadline_at, owner, seed)
     SELECT ?1, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM receipts WHERE run_id = ?1) ON CONFLICT DO NOTHING`,
  ),
  drop: db.prepare('DELETE FROM runs WHERE run_id = ?'),
  close: db.prepare('DELETE FROM runs WHERE run_id = ? AND tenant = ?'),
});

function startRow(start: RunStart, dataKey: Uint8Array): StartRow {
  const { tenant, idempotency } = start;
  const { path = null, key = '', expiresAt = 0 } = idempotency ?? {};
  const tag = idempotency === undefined ? '' : tagOf({ tenant, ...idempotency }, dataKey);
  const row = [
    'start',
    start.runId,
    tenant,
    start.startedAt,
    start.deadlineAt,
    start.owner,
    start.seed,
    path,
    key,
    tag,
    expiresAt,
  ] as const;
  return start.policy === undefined ? row : [...row, startPolicyColumns(start.policy)];
}

function startResult(result: RowResult, { tenant, idempotency }: RunStart, dataKey: Uint8Array): StartResult {
  if (result === null) return { kind: 'started' };
  if (typeof result !== 'number' && result[0] === 'conflict') return { kind: 'grant-used' };
  if (idempotency === undefined) throw unexpected(result);
  return { kind: 'idempotent', entry: entryOf(result, { tenant, ...idempotency }, dataKey) };
}

function runPort({ prepare, read, writeLogged, random, dataKey }: TableParts<StartRow | RecordRow>): RunPort {
  const overdue = prepare(
    `SELECT run_id, tenant, started_at, deadline_at, seed FROM runs
     WHERE deadline_at < ? ORDER BY deadline_at, run_id LIMIT ?`,
  );
  return {
    startRun: async (start) => startResult(await writeLogged(startRow(start, dataKey)), start, dataKey),
    recordRun: async (start, finish) =>
      startResult(await writeLogged(['record', startRow(start, dataKey), finishRow(finish, random)]), start, dataKey),
    overdueRuns: (before, limit) =>
      read(() =>
        overdue.all(before, limit).map((row) => ({
          runId: textOf(row, 'run_id'),
          tenant: textOf(row, 'tenant'),
          startedAt: integerOf(row, 'started_at'),
          deadlineAt: integerOf(row, 'deadline_at'),
          seed: textOf(row, 'seed'),
        })),
      ),
  };
}

/** Written with claims, and closed with receipts: `sqlite-writer/run-writer.ts`. */
export const runTable = { schema, port: runPort, writers: nothing };
