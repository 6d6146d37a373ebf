import type { AuditRow } from '../tables/audits.ts';
import type { EvaluateRow } from '../tables/evaluations.ts';
import type { PutOrgRow } from '../tables/orgs.ts';
import type { OrbStatusRow, PublishRow } from '../tables/publications.ts';
import type { RetractRow } from '../tables/reputation.ts';
import type { Connection, RowResult } from '../tables/table.ts';
import type { WriteRow } from '../tables/tables.ts';
import type { TestReportRow } from '../tables/test-reports.ts';
import { EvaluationWriter } from './evaluation-writer.ts';
import type { LogWriter } from './log-writer.ts';
import { OrgWriter } from './org-writer.ts';
import { PublicationWriter } from './publication-writer.ts';

type ReputationRow = RetractRow | PublishRow | TestReportRow | AuditRow | OrbStatusRow | PutOrgRow | EvaluateRow;

const OPERATIONS = {
  retract: true,
  publish: true,
  testReport: true,
  audit: true,
  orbStatus: true,
  putOrg: true,
  evaluate: true,
} as const satisfies Record<ReputationRow[0], true>;

export const isReputationRow = (row: WriteRow): row is ReputationRow => Object.hasOwn(OPERATIONS, row[0]);

/** Writes what is published and how it is judged, inside the writer's transaction. */
export class ReputationWriter {
  readonly #publications: PublicationWriter;
  readonly #orgs: OrgWriter;
  readonly #evaluations: EvaluationWriter;

  constructor(db: Connection) {
    this.#publications = new PublicationWriter(db);
    this.#orgs = new OrgWriter(db);
    this.#evaluations = new EvaluationWriter(db);
  }

  apply(row: ReputationRow, log: LogWriter): RowResult {
    switch (row[0]) {
      case 'retract':
        return log.retract(row[1], row[2]);
      case 'publish':
        return this.#publications.publish(row[1], log);
      case 'testReport':
        return this.#publications.addTestReport(row[1], log);
      case 'audit':
        return this.#publications.audit(row[1], log);
      case 'orbStatus':
        return this.#publications.setStatus(row[1], log);
      case 'putOrg':
        return this.#orgs.put(row, log);
      case 'evaluate':
        return this.#evaluations.evaluate(row[1], log);
      default:
        return row satisfies never;
    }
  }
}
