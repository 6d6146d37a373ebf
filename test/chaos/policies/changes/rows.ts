import { DatabaseSync } from 'node:sqlite';

/** A version of a policy, as its row says it. */
interface VersionRow {
  readonly digest: string;
  readonly generation: number;
  readonly mode: string;
  readonly isInForce: boolean;
}

/** A replay, as its row says it. */
interface ReplayRow {
  readonly replayId: string;
  readonly digest: string;
  readonly status: string;
  readonly isSigned: boolean;
  /** Rows by which a gate counts it. */
  readonly counted: number;
}

/** Rows about policies, read from the file of a ledger while a platform writes it, or after it was killed. */
export interface PolicyRows {
  /** Newest first. */
  readonly versions: (name: string) => readonly VersionRow[];
  readonly replays: (name: string) => readonly ReplayRow[];
  /** Runs that used a grant of the decision; '' for a grant that is left. */
  readonly grants: (decisionId: string) => readonly string[];
  readonly close: () => void;
}

/** Opens the file beside the platform that uses it. */
export function openPolicyRows(file: string): PolicyRows {
  const db = new DatabaseSync(file, { readOnly: true });
  const versions = db.prepare(
    `SELECT digest, generation, mode, in_force FROM policy_versions WHERE name = ? ORDER BY generation DESC`,
  );
  const replays = db.prepare(
    `SELECT replay_id, policy_digest, status, jws IS NOT NULL AS signed,
       (SELECT count(*) FROM policy_replay_totals t WHERE t.replay_id = r.replay_id) AS counted
     FROM policy_replays r WHERE name = ? ORDER BY id`,
  );
  const grants = db.prepare('SELECT run_id FROM policy_grants WHERE decision_id = ?');
  return {
    versions: (name) =>
      versions.all(name).map((row) => ({
        digest: String(row['digest']),
        generation: Number(row['generation']),
        mode: String(row['mode']),
        isInForce: row['in_force'] === 1,
      })),
    replays: (name) =>
      replays.all(name).map((row) => ({
        replayId: String(row['replay_id']),
        digest: String(row['policy_digest']),
        status: String(row['status']),
        isSigned: row['signed'] === 1,
        counted: Number(row['counted']),
      })),
    grants: (decisionId) => grants.all(decisionId).map((row) => (row['run_id'] === null ? '' : String(row['run_id']))),
    close: () => db.close(),
  };
}
