import { leaseTable, leaseWriters, type LeaseOperations, type LeaseTable } from './leases.ts';
import { manifestTable, manifestWriters, type ManifestOperations, type ManifestTable } from './manifests.ts';
import { stateTable, stateWriters, type StateOperations, type StateTable } from './state.ts';
import type { Connection, RowOf, RowResult, TableParts, Writers } from './table.ts';

/** Parts of the port that a single table answers. A new table is a line in each list of this file. */
export type TablePorts = StateTable & LeaseTable & ManifestTable;

type TableOperations = StateOperations & LeaseOperations & ManifestOperations;

export type TableRow = RowOf<TableOperations>;

const tableWriters = (db: Connection): Writers<TableOperations> => ({
  ...stateWriters(db),
  ...leaseWriters(db),
  ...manifestWriters(db),
});

/** Builds these parts of the port. */
export const tablePorts = (parts: TableParts<TableRow>): TablePorts => ({
  ...stateTable(parts),
  ...leaseTable(parts),
  ...manifestTable(parts),
});

/** Writes a row of these tables in the open transaction. */
export interface TableWriter {
  readonly isRow: (row: readonly [op: string, ...columns: readonly unknown[]]) => row is TableRow;
  readonly apply: (row: TableRow) => RowResult;
}

export function createTableWriter(db: Connection): TableWriter {
  const writers = tableWriters(db);
  const apply = <Op extends keyof TableOperations>(row: RowOf<TableOperations, Op>): RowResult => {
    const [op, ...columns] = row;
    return writers[op](...columns);
  };
  return { isRow: (row): row is TableRow => Object.hasOwn(writers, row[0]), apply };
}
