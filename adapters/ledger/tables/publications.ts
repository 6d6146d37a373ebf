import type { StatementSync } from 'node:sqlite';
import { ORB_STATUSES } from '../../../core/log-entry/entry-members.ts';
import { integerOf, oneOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { changeCounter, MAX_CHANGES } from './changes.ts';
import type { NewOrg } from './orgs.ts';
import {
  done,
  unexpected,
  type Connection,
  type RowOf,
  type RowResult,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';
import type { TestReport } from './test-reports.ts';

type PublicationStatus = (typeof ORB_STATUSES)[number];

/** A published version. Its row is never removed, and nothing but `status`, `reason` and `projected` changes. */
export interface Publication {
  readonly orbId: string;
  /** Tenant that published it. */
  readonly namespace: string;
  readonly org: string;
  readonly manifestDigest: string;
  /** Index of its `publish` entry. */
  readonly logIndex: number;
  readonly status: PublicationStatus;
  /** Of the last change of status; null: never changed. */
  readonly reason: string | null;
  /** Ms since epoch. */
  readonly publishedAt: number;
  /** Whether its view, an OrbPublication, was written. */
  readonly projected: boolean;
  readonly change: number;
}

/** A version to publish, with everything that is written in the same transaction. */
export interface NewPublication {
  readonly orbId: string;
  readonly namespace: string;
  readonly org: string;
  readonly manifestDigest: string;
  /** Stored for the namespace, and readable by everybody. */
  readonly manifestJcs: string;
  /** Ms since epoch. */
  readonly publishedAt: number;
  readonly report: TestReport;
  /**
   * Makes the namespace the owner of the organisation, which must have none. Null: the organisation must be verified for
   * the namespace. The transaction checks both again.
   */
  readonly claim: Pick<NewOrg, 'proof' | 'state' | 'since' | 'json'> | null;
  /** Appended in this order. */
  readonly entries: readonly string[];
  /** Which of the entries are the `publish` and the `test_report` entry, from 0. */
  readonly publishEntry: number;
  readonly reportEntry: number;
}

type PublishResult =
  | { readonly kind: 'published'; readonly logIndex: number }
  /** This version was published before, with these bytes: this call wrote nothing. */
  | { readonly kind: 'exists'; readonly manifestDigest: string }
  /** With a claim: somebody owns the organisation. Without: it is not verified for the namespace. Nothing was written. */
  | { readonly kind: 'org-conflict' };

/** A change of status, with its `orb_status` entry. */
export interface StatusChange {
  readonly orbId: string;
  readonly from: PublicationStatus;
  readonly to: PublicationStatus;
  readonly reason: string;
  /** At least one. */
  readonly entries: readonly string[];
  /**
   * The certificate that this change revokes, by the index of its `certificate` entry. For a yank or a suspension this is
   * the newest certificate, unless it is revoked already. Null: nothing is revoked.
   */
  readonly revoke: number | null;
}

type StatusResult =
  /** `logIndex` of the first entry. */
  | { readonly kind: 'done'; readonly logIndex: number }
  /** The status is not `from`: this call wrote nothing. */
  | { readonly kind: 'conflict'; readonly status: PublicationStatus }
  /** `revoke` is not the certificate that must end: this call wrote nothing. */
  | { readonly kind: 'other-certificate' };

/** Published versions. */
interface PublicationPort {
  /**
   * Publishes a version: its row, its manifest, its test report, the claim and the entries in one transaction. Must
   * publish a version once, also for concurrent calls.
   */
  readonly publish: (publication: NewPublication) => Promise<PublishResult>;
  /** Compares and sets. @throws TypeError the version was never published */
  readonly setOrbStatus: (change: StatusChange) => Promise<StatusResult>;
  readonly markProjected: (orbId: string) => Promise<void>;
  /** Rows that were written after `change` (0: all), in order of their last change, at most 1 000 a call. */
  readonly publications: (change: number) => Promise<readonly Publication[]>;
}

type PublicationOperations = { readonly markProjected: readonly [orbId: string] };

export type PublishRow = readonly [op: 'publish', publication: NewPublication];
export type OrbStatusRow = readonly [op: 'orbStatus', change: StatusChange];

const schema: TableSchema = {
  4: `CREATE TABLE publications(
    orb_id TEXT PRIMARY KEY, namespace TEXT NOT NULL, org TEXT NOT NULL, manifest_digest TEXT NOT NULL,
    log_index INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT, published_at INTEGER NOT NULL,
    projected INTEGER NOT NULL, change INTEGER NOT NULL UNIQUE
  ) STRICT;
  CREATE INDEX publications_manifest ON publications(manifest_digest);`,
};

const SELECT = `SELECT orb_id, namespace, org, manifest_digest, log_index, status, reason, published_at, projected, change
  FROM publications`;

const publicationOf = (row: Row): Publication => ({
  orbId: textOf(row, 'orb_id'),
  namespace: textOf(row, 'namespace'),
  org: textOf(row, 'org'),
  manifestDigest: textOf(row, 'manifest_digest'),
  logIndex: integerOf(row, 'log_index'),
  status: oneOf(ORB_STATUSES, row, 'status'),
  reason: optionalTextOf(row, 'reason'),
  publishedAt: integerOf(row, 'published_at'),
  projected: integerOf(row, 'projected') === 1,
  change: integerOf(row, 'change'),
});

/** Published versions in the writer's thread. */
export interface PublicationRows {
  readonly find: (orbId: string) => Publication | undefined;
  readonly insert: (row: Publication) => void;
  /** Status, reason, change, Orb. */
  readonly setStatus: StatementSync;
}

export function publicationRows(db: Connection): PublicationRows {
  const one = db.prepare(`${SELECT} WHERE orb_id = ?`);
  const insert = db.prepare(
    `INSERT INTO publications(orb_id, namespace, org, manifest_digest, log_index, status, reason, published_at, projected,
       change) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    find: (orbId) => {
      const row = one.get(orbId);
      return row && publicationOf(row);
    },
    insert: (row) => {
      const { orbId, namespace, org, manifestDigest, logIndex, status, reason, publishedAt, projected, change } = row;
      const columns = [orbId, namespace, org, manifestDigest, logIndex, status, reason, publishedAt] as const;
      insert.run(...columns, projected ? 1 : 0, change);
    },
    setStatus: db.prepare('UPDATE publications SET status = ?, reason = ?, change = ? WHERE orb_id = ?'),
  };
}

function publicationWriters(db: WriterParts): Writers<PublicationOperations> {
  const nextChange = changeCounter(db);
  const mark = db.prepare('UPDATE publications SET projected = 1, change = ? WHERE orb_id = ? AND projected = 0');
  return {
    markProjected: (orbId) => {
      mark.run(nextChange(), orbId);
      return null;
    },
  };
}

function publishResult(result: RowResult): PublishResult {
  if (typeof result === 'number') return { kind: 'published', logIndex: result };
  if (result?.[0] === 'exists') return { kind: 'exists', manifestDigest: result[1] };
  if (result?.[0] === 'conflict') return { kind: 'org-conflict' };
  throw unexpected(result);
}

function statusResult(result: RowResult): StatusResult {
  if (typeof result === 'number') return { kind: 'done', logIndex: result };
  if (result?.[0] === 'missing') return { kind: 'other-certificate' };
  if (result?.[0] !== 'conflict') throw unexpected(result);
  return { kind: 'conflict', status: oneOf(ORB_STATUSES, { status: result[1] }, 'status') };
}

type Parts = TableParts<PublishRow | OrbStatusRow | RowOf<PublicationOperations>>;

function publicationPort({ prepare, read, write, writeLogged }: Parts): PublicationPort {
  const since = prepare(`${SELECT} WHERE change > ? ORDER BY change LIMIT ${MAX_CHANGES}`);
  return {
    publish: async (publication) => publishResult(await writeLogged(['publish', publication])),
    setOrbStatus: async (change) => statusResult(await writeLogged(['orbStatus', change])),
    markProjected: (orbId) => done(write(['markProjected', orbId])),
    publications: (change) => read(() => since.all(change).map(publicationOf)),
  };
}

/** Written with the log: `sqlite-writer/publication-writer.ts`. */
export const publicationTable = { schema, port: publicationPort, writers: publicationWriters };
