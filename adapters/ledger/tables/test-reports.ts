import { integerOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** A test report that was accepted. */
export interface TestReport {
  /** Lower-case hex of the SHA-256 of its JCS text. */
  readonly sha256: string;
  /** Its JSON text, with the openings of receipts: the tenant's own. */
  readonly report: string;
  /** JSON text of the test suites; null: none were sent. */
  readonly suites: string | null;
  /** Compact JWS of the statement about it, which is public. */
  readonly statement: string;
}

/** What everybody may read of a report. */
interface PublicTestReport extends Pick<TestReport, 'suites' | 'statement'> {
  /** Index of its `test_report` entry. */
  readonly logIndex: number;
}

interface StoredTestReport extends TestReport, PublicTestReport {}

/** A later report of a published version. */
export interface NewTestReport {
  readonly orbId: string;
  /** Tenant that sends it. */
  readonly namespace: string;
  readonly report: TestReport;
  /** Its `test_report` entry. */
  readonly entry: string;
}

type AddResult =
  /** `logIndex` of its entry, also of the same report before: that writes nothing. */
  | { readonly kind: 'done'; readonly logIndex: number }
  /** The version was yanked, or its organisation is not verified for the namespace: this call wrote nothing. */
  | { readonly kind: 'conflict' };

/** Accepted test reports of published versions. The first one comes with the publication. */
interface TestReportPort {
  /**
   * Stores a report with its entry. The same report of a version again writes nothing.
   * @throws TypeError the version was never published
   */
  readonly addTestReport: (report: NewTestReport) => Promise<AddResult>;
  /** The newest. */
  readonly testReport: (orbId: string) => Promise<StoredTestReport | undefined>;
  /** The newest, without reading what is private of it: a report may have a megabyte. */
  readonly publicTestReport: (orbId: string) => Promise<PublicTestReport | undefined>;
  readonly hasTestReport: (orbId: string, sha256: string) => Promise<boolean>;
}

export type TestReportRow = readonly [op: 'testReport', report: NewTestReport];

const schema: TableSchema = {
  4: `CREATE TABLE test_reports(
    log_index INTEGER PRIMARY KEY, orb_id TEXT NOT NULL, report_sha256 TEXT NOT NULL, report TEXT NOT NULL, suites TEXT,
    statement TEXT NOT NULL, UNIQUE (orb_id, report_sha256)
  ) STRICT;`,
};

const INDEX_OF = 'SELECT log_index FROM test_reports WHERE orb_id = ? AND report_sha256 = ?';

const PUBLIC = 'log_index, suites, statement';
const NEWEST = 'log_index = (SELECT max(log_index) FROM test_reports WHERE orb_id = ?)';

const publicOf = (row: Row): PublicTestReport => ({
  suites: optionalTextOf(row, 'suites'),
  statement: textOf(row, 'statement'),
  logIndex: integerOf(row, 'log_index'),
});

/** Test reports in the writer's thread. */
export interface TestReportRows {
  readonly indexOf: (orbId: string, sha256: string) => number | undefined;
  readonly insert: (orbId: string, report: StoredTestReport) => void;
}

export function testReportRows(db: Connection): TestReportRows {
  const indexOf = db.prepare(INDEX_OF);
  const insert = db.prepare(
    'INSERT INTO test_reports(log_index, orb_id, report_sha256, report, suites, statement) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return {
    indexOf: (orbId, sha256) => {
      const row = indexOf.get(orbId, sha256);
      return row && integerOf(row, 'log_index');
    },
    insert: (orbId, { sha256, report, suites, statement, logIndex }) => {
      insert.run(logIndex, orbId, sha256, report, suites, statement);
    },
  };
}

function addResult(result: RowResult): AddResult {
  if (typeof result === 'number') return { kind: 'done', logIndex: result };
  if (result?.[0] === 'conflict') return { kind: 'conflict' };
  throw unexpected(result);
}

function testReportPort({ prepare, read, writeLogged }: TableParts<TestReportRow>): TestReportPort {
  const newest = prepare(`SELECT report_sha256, report, ${PUBLIC} FROM test_reports WHERE ${NEWEST}`);
  const publicOfNewest = prepare(`SELECT ${PUBLIC} FROM test_reports WHERE ${NEWEST}`);
  const indexOf = prepare(INDEX_OF);
  return {
    addTestReport: async (report) => addResult(await writeLogged(['testReport', report])),
    testReport: (orbId) =>
      read(() => {
        const row = newest.get(orbId);
        if (row === undefined) return undefined;
        return {
          sha256: textOf(row, 'report_sha256'),
          report: textOf(row, 'report'),
          ...publicOf(row),
        };
      }),
    publicTestReport: (orbId) =>
      read(() => {
        const row = publicOfNewest.get(orbId);
        return row && publicOf(row);
      }),
    hasTestReport: (orbId, sha256) => read(() => indexOf.get(orbId, sha256) !== undefined),
  };
}

/** Written with the log: `sqlite-writer/publication-writer.ts`. */
export const testReportTable = { schema, port: testReportPort, writers: nothing };
