import { auditTable } from './audits.ts';
import { certificateTable } from './certificates.ts';
import { changeTable } from './changes.ts';
import { checkpointTable } from './checkpoints.ts';
import { deadLetters } from './dead-letters.ts';
import { deliveryTable } from './deliveries.ts';
import { deliveryEffects } from './delivery-effects.ts';
import { evaluationTable } from './evaluations.ts';
import { idempotencyTable } from './idempotency.ts';
import { identityTable } from './identity.ts';
import { incidentTable } from './incidents.ts';
import { ingestRetention } from './ingest-retention.ts';
import { ingestSourceTable } from './ingest-sources.ts';
import { jwsHeaderTable } from './jws-headers.ts';
import { leaseTable } from './leases.ts';
import { logTable } from './log.ts';
import { manifestTable } from './manifests.ts';
import { orgClaimTable } from './org-claims.ts';
import { orgTable } from './orgs.ts';
import { policyCountTable } from './policy-counts.ts';
import { decisionTable } from './policy-decisions.ts';
import { grantTable } from './policy-grants.ts';
import { replayChangeTable } from './policy-replay-changes.ts';
import { replayTotalTable } from './policy-replay-totals.ts';
import { replayTable } from './policy-replays.ts';
import { policyTextTable } from './policy-texts.ts';
import { policyRetention } from './policy-retention.ts';
import { policyVersionTable } from './policy-versions.ts';
import { violationTable } from './policy-violations.ts';
import { publicationTable } from './publications.ts';
import { publishedTable } from './published.ts';
import { receiptTotals } from './receipt-totals.ts';
import { receiptTable } from './receipts.ts';
import { recordedRuns } from './recorded-runs.ts';
import { reputationTable } from './reputation.ts';
import { runFacts } from './run-facts.ts';
import { runTable } from './runs.ts';
import { signalStateTable } from './signal-states.ts';
import { signalTable } from './signals.ts';
import { stateTable } from './state.ts';
import { statusIntervalTable } from './status-intervals.ts';
import { maintenanceTable } from './status-maintenance.ts';
import { swapReceiptTable } from './swap-receipts.ts';
import { listed, type TableList } from './table-list.ts';
import { tenantUsage } from './tenant-usage.ts';
import { testReportTable } from './test-reports.ts';
import { tierChangeTable } from './tier-changes.ts';
import type { RowOf, RowResult, WriterParts, Writers } from './table.ts';

/** Every table. A new table is a line here. A version of the schema runs its scripts in this order. */
export const TABLES = listed(identityTable)
  .and(runTable)
  .and(jwsHeaderTable)
  .and(receiptTable)
  .and(logTable)
  .and(checkpointTable)
  .and(manifestTable)
  .and(idempotencyTable)
  .and(leaseTable)
  .and(stateTable)
  .and(swapReceiptTable)
  .and(publishedTable)
  .and(reputationTable)
  .and(tierChangeTable)
  .and(changeTable)
  .and(publicationTable)
  .and(testReportTable)
  .and(auditTable)
  .and(orgTable)
  .and(orgClaimTable)
  .and(evaluationTable)
  .and(certificateTable)
  .and(decisionTable)
  .and(policyTextTable)
  .and(runFacts)
  .and(policyCountTable)
  .and(violationTable)
  .and(grantTable)
  .and(policyVersionTable)
  .and(replayTable)
  .and(replayTotalTable)
  .and(replayChangeTable)
  .and(policyRetention)
  .and(recordedRuns)
  .and(receiptTotals)
  .and(ingestSourceTable)
  .and(deliveryTable)
  .and(deadLetters)
  .and(signalTable)
  .and(signalStateTable)
  .and(incidentTable)
  .and(deliveryEffects)
  .and(ingestRetention)
  .and(statusIntervalTable)
  .and(maintenanceTable)
  .and(tenantUsage);

/** The parts of all tables: nearly the whole port of the ledger. */
export type TablePorts = ReturnType<typeof TABLES.port>;

type RowIn<List> = List extends TableList<unknown, infer Row, unknown> ? Row : never;

/** A write on its way to the writer's thread. */
export type WriteRow = RowIn<typeof TABLES>;

type TableWriters = ReturnType<typeof TABLES.writers>;

type TableOperations = { readonly [Op in keyof TableWriters]: Parameters<TableWriters[Op]> };

/** A write that concerns one table. */
export type TableRow = RowOf<TableOperations>;

/** Applies writes of single tables in the open transaction. */
export interface TableWriter {
  readonly isRow: (row: WriteRow) => row is TableRow;
  readonly apply: (row: TableRow) => RowResult;
}

export function createTableWriter(parts: WriterParts): TableWriter {
  const writers: Writers<TableOperations> = TABLES.writers(parts);
  const apply = <Op extends keyof TableOperations>(row: RowOf<TableOperations, Op>): RowResult => {
    const [op, ...columns] = row;
    return writers[op](...columns);
  };
  return { isRow: (row): row is TableRow => Object.hasOwn(writers, row[0]), apply };
}
