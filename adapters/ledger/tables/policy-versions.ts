import { checkLimit } from '../sqlite/index-page.ts';
import { integerOf, oneOf, textOf, type Row } from '../sqlite/columns.ts';
import {
  done,
  refused,
  type RowOf,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

const MODES = ['Enforce', 'Audit', 'Disabled'] as const;

/** A version of a policy that compiled. Its digest leaves out mode, tests and promotion (policy.md §2). */
export interface PolicyVersion {
  readonly namespace: string;
  readonly name: string;
  readonly digest: string;
  readonly generation: number;
  readonly uid: string;
  /** When it was taken over, ms since epoch. */
  readonly at: number;
  /** Who wrote it. */
  readonly by: string;
  readonly mode: (typeof MODES)[number];
  /** JSON texts that the caller alone understands, each ≤ 256 KiB of UTF-8. */
  readonly spec: string;
  readonly tests: string;
}

/** Versions of policies, and which of them are in force. Versions stay when their policy is deleted. */
interface PolicyVersionPort {
  /**
   * Writes a version; a row with the same digest is replaced. One transaction with the change of force.
   * @param force `inForce`: it is the one in force of its policy. Otherwise the one in force stays, and so does its
   *   row when it has the same digest
   */
  readonly putPolicyVersion: (version: PolicyVersion, force: { readonly inForce: boolean }) => Promise<void>;
  /** No version of the policy is in force: it is gone or disabled. */
  readonly dropPolicyInForce: (namespace: string, name: string) => Promise<void>;
  /** Of all policies, by namespace and name. */
  readonly policiesInForce: () => Promise<readonly PolicyVersion[]>;
  /** The versions that were taken over last, newest first. @throws RangeError limit outside 1–200 */
  readonly policyVersions: (namespace: string, name: string, limit: number) => Promise<readonly PolicyVersion[]>;
  readonly policyVersion: (namespace: string, name: string, digest: string) => Promise<PolicyVersion | undefined>;
}

type PolicyVersionOperations = {
  readonly putPolicyVersion: readonly [version: PolicyVersion, inForce: boolean];
  readonly dropPolicyInForce: readonly [namespace: string, name: string];
};

const schema: TableSchema = {
  5: `CREATE TABLE policy_versions(
    namespace TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, generation INTEGER NOT NULL, uid TEXT NOT NULL,
    at INTEGER NOT NULL, by TEXT NOT NULL, mode TEXT NOT NULL, spec TEXT NOT NULL, tests TEXT NOT NULL,
    in_force INTEGER NOT NULL, UNIQUE (namespace, name, digest)
  ) STRICT;
  CREATE UNIQUE INDEX policy_versions_in_force ON policy_versions(namespace, name) WHERE in_force = 1;
  CREATE INDEX policy_versions_newest ON policy_versions(namespace, name, at);`,
};

/** Longest text of a version or of a replay, bytes. */
export const MAX_DOCUMENT_BYTES = 262_144;

const isTooLong = (text: string): boolean => Buffer.byteLength(text) > MAX_DOCUMENT_BYTES;

function faultOf({ generation, at, spec, tests }: PolicyVersion): string | undefined {
  if (![generation, at].every(Number.isSafeInteger)) return 'a generation or a time is no whole number';
  return [spec, tests].some(isTooLong) ? `a policy is longer than ${MAX_DOCUMENT_BYTES} bytes` : undefined;
}

function policyVersionWriters(db: WriterParts): Writers<PolicyVersionOperations> {
  const drop = db.prepare('UPDATE policy_versions SET in_force = 0 WHERE namespace = ? AND name = ? AND in_force = 1');
  const put = db.prepare(
    `INSERT INTO policy_versions(namespace, name, digest, generation, uid, at, by, mode, spec, tests, in_force)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (namespace, name, digest) DO UPDATE SET generation = excluded.generation, uid = excluded.uid,
       at = excluded.at, by = excluded.by, mode = excluded.mode, spec = excluded.spec, tests = excluded.tests,
       in_force = excluded.in_force
     WHERE in_force = 0`,
  );
  return {
    putPolicyVersion: (version, inForce) => {
      const fault = faultOf(version);
      if (fault !== undefined) return refused(fault);
      const { namespace, name, digest, generation, uid, at, by, mode, spec, tests } = version;
      if (inForce) drop.run(namespace, name);
      put.run(namespace, name, digest, generation, uid, at, by, mode, spec, tests, inForce ? 1 : 0);
      return null;
    },
    dropPolicyInForce: (namespace, name) => {
      drop.run(namespace, name);
      return null;
    },
  };
}

const versionOf = (row: Row): PolicyVersion => ({
  namespace: textOf(row, 'namespace'),
  name: textOf(row, 'name'),
  digest: textOf(row, 'digest'),
  generation: integerOf(row, 'generation'),
  uid: textOf(row, 'uid'),
  at: integerOf(row, 'at'),
  by: textOf(row, 'by'),
  mode: oneOf(MODES, row, 'mode'),
  spec: textOf(row, 'spec'),
  tests: textOf(row, 'tests'),
});

const SELECT = 'SELECT namespace, name, digest, generation, uid, at, by, mode, spec, tests FROM policy_versions';

function policyVersionPort({ prepare, read, write }: TableParts<RowOf<PolicyVersionOperations>>): PolicyVersionPort {
  const inForceRows = prepare(`${SELECT} WHERE in_force = 1 ORDER BY namespace, name`);
  const newest = prepare(`${SELECT} WHERE namespace = ? AND name = ? ORDER BY at DESC, generation DESC LIMIT ?`);
  const one = prepare(`${SELECT} WHERE namespace = ? AND name = ? AND digest = ?`);
  return {
    putPolicyVersion: (version, { inForce }) => done(write(['putPolicyVersion', version, inForce])),
    dropPolicyInForce: (namespace, name) => done(write(['dropPolicyInForce', namespace, name])),
    policiesInForce: () => read(() => inForceRows.all().map(versionOf)),
    policyVersions: (namespace, name, limit) =>
      read(() => {
        checkLimit(limit);
        return newest.all(namespace, name, limit).map(versionOf);
      }),
    policyVersion: (namespace, name, digest) =>
      read(() => {
        const row = one.get(namespace, name, digest);
        return row && versionOf(row);
      }),
  };
}

export const policyVersionTable = { schema, port: policyVersionPort, writers: policyVersionWriters };
