import { readEntry } from '../../../core/log-entry/entry.ts';
import { optionalBlobOf, textOf } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableSchema } from './table.ts';

/** A rule of a policy of the platform that an Orb broke (policy.md §3.4). */
export interface NewViolation {
  /** `namespace/name/rule` */
  readonly rule: string;
  readonly manifestDigest: string;
  /** UTC day: whole days since 1970-01-01. */
  readonly day: number;
  /** Its `violation` entry, as `RunFinish.receipt.entry`. */
  readonly entry: string;
}

export type ViolationColumns = readonly [rule: string, manifestDigest: string, day: number, entry: string];

/** The first version of the schema with violations. */
export const VIOLATIONS_VERSION = 5;

const schema: TableSchema = {
  [VIOLATIONS_VERSION]: `CREATE TABLE policy_violations(
    rule TEXT NOT NULL, manifest_digest TEXT NOT NULL, day INTEGER NOT NULL, log_index INTEGER NOT NULL,
    PRIMARY KEY (rule, manifest_digest, day)
  ) STRICT, WITHOUT ROWID;`,
};

export const violationColumns = ({ rule, manifestDigest, day, entry }: NewViolation): ViolationColumns => [
  rule,
  manifestDigest,
  day,
  entry,
];

/** Violations in the writer's thread. */
export interface ViolationRows {
  /**
   * Notes a violation and the index of its entry.
   * @returns false: the rule, digest and day have their entry already
   */
  readonly isFirst: (violation: ViolationColumns, logIndex: number) => boolean;
}

export function violationRows(db: Connection): ViolationRows {
  const insert = db.prepare(
    `INSERT INTO policy_violations(rule, manifest_digest, day, log_index) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  return {
    isFirst: ([rule, manifestDigest, day], logIndex) => insert.run(rule, manifestDigest, day, logIndex).changes === 1,
  };
}

/** Whether each violation names its own entry of the log. Reads all of them: for the check of a copy. */
export function violationsFit(db: Connection): boolean {
  const all = db.prepare(
    'SELECT rule, manifest_digest, entry FROM policy_violations LEFT JOIN log_entries ON idx = log_index',
  );
  for (const row of all.iterate()) {
    const entry = readEntry(optionalBlobOf(row, 'entry')?.toString('utf8') ?? '');
    if (entry?.kind !== 'violation') return false;
    if (entry.rule !== textOf(row, 'rule') || entry.manifest_digest !== textOf(row, 'manifest_digest')) return false;
  }
  return true;
}

/** Written with receipts and the log: `sqlite-writer/policy-writer.ts`. */
export const violationTable = { schema, port: nothing, writers: nothing };
