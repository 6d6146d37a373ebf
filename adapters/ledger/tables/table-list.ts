import type { Table, TableParts, TableSchema, WriterParts } from './table.ts';

/** Several tables as one: their ports side by side, and their writers. */
export interface TableList<Port, Row, TableWriters> {
  readonly schemas: readonly TableSchema[];
  readonly port: (parts: TableParts<Row>) => Port;
  readonly writers: (parts: WriterParts) => TableWriters;
  /** This list and one more table. */
  readonly and: <P, W, R = never>(table: Table<P, R, W>) => TableList<Port & P, Row | R, TableWriters & W>;
}

const listOf = <Port, Row, TableWriters>(
  list: Omit<TableList<Port, Row, TableWriters>, 'and'>,
): TableList<Port, Row, TableWriters> => ({
  ...list,
  and: (table) =>
    listOf({
      schemas: [...list.schemas, table.schema],
      port: (parts) => ({ ...list.port(parts), ...table.port(parts) }),
      writers: (parts) => ({ ...list.writers(parts), ...table.writers(parts) }),
    }),
});

/** A list of one table. */
export const listed = <P, W, R = never>({ schema, port, writers }: Table<P, R, W>): TableList<P, R, W> =>
  listOf({ schemas: [schema], port, writers });
