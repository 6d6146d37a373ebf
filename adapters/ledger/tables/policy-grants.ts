import { textOf } from '../sqlite/columns.ts';
import {
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

/** What a grant is for: runs of one caller, Orbiset and Orb with the same inputs. */
interface GrantedRun {
  /** `namespace.name` */
  readonly orbiset: string;
  readonly caller: string;
  readonly orbId: string;
  /** Lower-case hex SHA-256 of the JCS text of the inputs. */
  readonly inputsSha256: string;
}

/** An approval of one run (policy.md §3.3). */
export interface NewGrant extends GrantedRun {
  readonly grantId: string;
  readonly tenant: string;
  /** The decision that asked for it. */
  readonly decisionId: string;
  /** Scope that the approval stands for. */
  readonly scope: string;
  /** Who approved. */
  readonly by: string;
  /** ms since epoch */
  readonly at: number;
  /** ms since epoch; not usable from then on */
  readonly expiresAt: number;
}

type GrantResult =
  | { readonly kind: 'granted' }
  /** This decision has a grant of this scope, used or not: this call wrote nothing. */
  | { readonly kind: 'exists' };

/** Approvals. The start of a run uses them up (`RunStart.policy`). */
interface GrantPort {
  /** Must let one through for a decision and scope, also of concurrent calls. */
  readonly addGrant: (grant: NewGrant) => Promise<GrantResult>;
  /** Grants that such a run of a tenant can use at this time, the first to expire first. */
  readonly grantsFor: (
    tenant: string,
    run: GrantedRun,
    now: number,
  ) => Promise<readonly { readonly grantId: string; readonly scope: string }[]>;
}

type GrantOperations = { readonly addGrant: readonly [grant: NewGrant] };

const schema: TableSchema = {
  5: `CREATE TABLE policy_grants(
    grant_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, decision_id TEXT NOT NULL, orbiset TEXT NOT NULL,
    caller TEXT NOT NULL, orb_id TEXT NOT NULL, inputs_sha256 TEXT NOT NULL, scope TEXT NOT NULL, by TEXT NOT NULL,
    at INTEGER NOT NULL, expires_at INTEGER NOT NULL, run_id TEXT, UNIQUE (decision_id, scope)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX policy_grants_run ON policy_grants(tenant, orbiset, caller, orb_id, inputs_sha256) WHERE run_id IS NULL;
  CREATE INDEX policy_grants_expiry ON policy_grants(expires_at);`,
};

const MAX_GRANTS = 64;

const USABLE = `tenant = ? AND orbiset = ? AND caller = ? AND orb_id = ? AND inputs_sha256 = ? AND run_id IS NULL
  AND expires_at > ?`;

const runColumns = (tenant: string, { orbiset, caller, orbId, inputsSha256 }: GrantedRun): readonly string[] => [
  tenant,
  orbiset,
  caller,
  orbId,
  inputsSha256,
];

/** Grants in the writer's thread. */
export interface GrantRows {
  /** Whether such a run of the tenant can use it at this time. */
  readonly isUsable: (grantId: string, tenant: string, run: GrantedRun, now: number) => boolean;
  readonly use: (grantId: string, runId: string) => void;
  /** @returns number of grants that expired before a time and are erased */
  readonly eraseExpired: (before: number, limit: number) => number;
}

export function grantRows(db: Connection): GrantRows {
  const usable = db.prepare(`SELECT 1 AS usable FROM policy_grants WHERE grant_id = ? AND ${USABLE}`);
  const use = db.prepare('UPDATE policy_grants SET run_id = ? WHERE grant_id = ?');
  const erase = db.prepare(
    `DELETE FROM policy_grants WHERE grant_id IN (SELECT grant_id FROM policy_grants WHERE expires_at < ? LIMIT ?)`,
  );
  return {
    isUsable: (grantId, tenant, run, now) => usable.get(grantId, ...runColumns(tenant, run), now) !== undefined,
    use: (grantId, runId) => {
      use.run(runId, grantId);
    },
    eraseExpired: (before, limit) => Number(erase.run(before, limit).changes),
  };
}

function grantWriters(db: WriterParts): Writers<GrantOperations> {
  const taken = db.prepare('SELECT 1 AS taken FROM policy_grants WHERE grant_id = ?');
  const insert = db.prepare(
    `INSERT INTO policy_grants(grant_id, tenant, decision_id, orbiset, caller, orb_id, inputs_sha256, scope, by, at,
       expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (decision_id, scope) DO NOTHING`,
  );
  return {
    addGrant: (grant) => {
      const { grantId, tenant, decisionId, scope, by, at, expiresAt } = grant;
      if (![at, expiresAt].every(Number.isSafeInteger)) return refused('a time is no whole number of milliseconds');
      if (taken.get(grantId) !== undefined) return refused('the grant id is taken');
      const { orbiset, caller, orbId, inputsSha256 } = grant;
      const run = [orbiset, caller, orbId, inputsSha256] as const;
      const { changes } = insert.run(grantId, tenant, decisionId, ...run, scope, by, at, expiresAt);
      return changes === 1 ? null : ['exists', decisionId];
    },
  };
}

function grantResult(result: RowResult): GrantResult {
  if (result === null) return { kind: 'granted' };
  if (typeof result === 'number' || result[0] !== 'exists') throw unexpected(result);
  return { kind: 'exists' };
}

function grantPort({ prepare, read, write }: TableParts<RowOf<GrantOperations>>): GrantPort {
  const usable = prepare(
    `SELECT grant_id, scope FROM policy_grants WHERE ${USABLE} ORDER BY expires_at, grant_id LIMIT ${MAX_GRANTS}`,
  );
  return {
    addGrant: async (grant) => grantResult(await write(['addGrant', grant])),
    grantsFor: (tenant, run, now) =>
      read(() =>
        usable
          .all(...runColumns(tenant, run), now)
          .map((row) => ({ grantId: textOf(row, 'grant_id'), scope: textOf(row, 'scope') })),
      ),
  };
}

export const grantTable = { schema, port: grantPort, writers: grantWriters };
