import { integerOf } from '../sqlite/columns.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** Receipts of a test report were checked. */
export interface NewAudit {
  readonly orbId: string;
  /** Lower-case hex of the SHA-256 of the JCS text of the report. */
  readonly reportSha256: string;
  /** Its `audit` entry. */
  readonly entry: string;
}

type AuditResult =
  | { readonly kind: 'done'; readonly logIndex: number }
  /** This report was audited for the Orb before: this call wrote nothing. */
  | { readonly kind: 'exists' };

/** Which test reports have an `audit` entry: a report that is sent again and again counts once (trust.md §2.1). */
interface AuditPort {
  /** Appends the entry. Must append one for a report of an Orb, also for concurrent calls. */
  readonly recordAudit: (audit: NewAudit) => Promise<AuditResult>;
}

export type AuditRow = readonly [op: 'audit', audit: NewAudit];

const schema: TableSchema = {
  4: `CREATE TABLE audits(
    orb_id TEXT NOT NULL, report_sha256 TEXT NOT NULL, log_index INTEGER NOT NULL, PRIMARY KEY (orb_id, report_sha256)
  ) STRICT, WITHOUT ROWID;`,
};

/** Audited reports in the writer's thread. */
export interface AuditRows {
  readonly indexOf: (orbId: string, reportSha256: string) => number | undefined;
  readonly insert: (orbId: string, reportSha256: string, logIndex: number) => void;
}

export function auditRows(db: Connection): AuditRows {
  const indexOf = db.prepare('SELECT log_index FROM audits WHERE orb_id = ? AND report_sha256 = ?');
  const insert = db.prepare('INSERT INTO audits(orb_id, report_sha256, log_index) VALUES (?, ?, ?)');
  return {
    indexOf: (orbId, reportSha256) => {
      const row = indexOf.get(orbId, reportSha256);
      return row && integerOf(row, 'log_index');
    },
    insert: (orbId, reportSha256, logIndex) => {
      insert.run(orbId, reportSha256, logIndex);
    },
  };
}

function auditResult(result: RowResult): AuditResult {
  if (typeof result === 'number') return { kind: 'done', logIndex: result };
  if (result?.[0] === 'exists') return { kind: 'exists' };
  throw unexpected(result);
}

const auditPort = ({ writeLogged }: TableParts<AuditRow>): AuditPort => ({
  recordAudit: async (audit) => auditResult(await writeLogged(['audit', audit])),
});

/** Written with the log: `sqlite-writer/publication-writer.ts`. */
export const auditTable = { schema, port: auditPort, writers: nothing };
