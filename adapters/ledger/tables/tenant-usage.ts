import { integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** What a tenant has in the ledger. */
interface TenantUsage {
  /** Rows of the counted tables. */
  readonly rows: number;
  /** Estimated from the contents: with indexes and log entries, a fifth more or less than the file grows. */
  readonly bytes: number;
}

/** Totals by tenant. They change in the transaction of the rows that they count, and outlive restarts. */
interface TenantUsagePort {
  /** One row is read, however large the ledger is. A tenant without rows has 0. */
  readonly tenantUsage: (tenant: string) => Promise<TenantUsage>;
  /** Those with the most bytes, the largest first. It reads the row of every tenant. */
  readonly largestTenants: (limit: number) => Promise<readonly (TenantUsage & { readonly tenant: string })[]>;
}

interface Counted {
  readonly table: string;
  /** Bytes of a row beside its contents: other columns, indexes, and for a receipt its entry in the log. */
  readonly overhead: number;
  /** Contents that differ in size. */
  readonly sizes: readonly string[];
  /** Contents that come or go after the row was written. */
  readonly changing?: readonly string[];
}

const octets = (column: string): string => `coalesce(octet_length(${column}), 0)`;

const RECEIPT_OVERHEAD = 1100;

/**
 * Written by every run, and never erased: the writer adds them up, once for each tenant and transaction. The row of an
 * open run does not count: it goes when its receipt comes.
 */
const BY_WRITER: readonly Counted[] = [
  { table: 'receipts', overhead: RECEIPT_OVERHEAD, sizes: [octets('@payload'), octets('@signature')] },
];

/** The other tables that grow with what a tenant does. Triggers count them: no way of erasing rows can forget to. */
const BY_TRIGGER: readonly Counted[] = [
  { table: 'swap_receipts', overhead: 1000, sizes: [octets('@payload'), octets('@signature')] },
  { table: 'idempotency', overhead: 350, sizes: [octets('@answer')], changing: ['answer'] },
  {
    table: 'policy_decisions',
    overhead: 400,
    sizes: [octets('@record'), octets('@response')],
    changing: ['record', 'response'],
  },
  { table: 'deliveries', overhead: 300, sizes: ['@bytes * @has_body'], changing: ['has_body'] },
  { table: 'signals', overhead: 300, sizes: [octets('@json')] },
  { table: 'incidents', overhead: 400, sizes: [octets('@json')], changing: ['json'] },
];

const bytesOf = ({ overhead, sizes }: Counted, row: 'NEW' | 'OLD' | undefined): string =>
  [String(overhead), ...sizes].join(' + ').replaceAll('@', row === undefined ? '' : `${row}.`);

/**
 * Rows of older ledgers, table by table, with `tenant` and `bytes`. In the order of the file: by an index of tenants the
 * file would be read once for each tenant, out of order.
 */
export const USAGE_OF_ROWS: readonly string[] = [...BY_WRITER, ...BY_TRIGGER].map(
  (counted) => `SELECT tenant, ${bytesOf(counted, undefined)} AS bytes FROM ${counted.table} NOT INDEXED`,
);

/** An older ledger is counted once, when it is brought up to this version. */
export const USAGE_VERSION = 7;

/** A trigger costs some 15 µs a row. */
function triggers(counted: Counted): string {
  const { table, changing } = counted;
  const update = 'UPDATE tenant_usage SET';
  const changed =
    changing === undefined
      ? ''
      : `CREATE TRIGGER ${table}_usage_changed AFTER UPDATE OF ${changing.join(', ')} ON ${table} BEGIN
    ${update} bytes = bytes + (${bytesOf(counted, 'NEW')}) - (${bytesOf(counted, 'OLD')}) WHERE tenant = NEW.tenant;
  END;`;
  return `CREATE TRIGGER ${table}_usage_added AFTER INSERT ON ${table} BEGIN
    INSERT INTO tenant_usage(tenant, row_count, bytes) VALUES (NEW.tenant, 1, ${bytesOf(counted, 'NEW')})
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER ${table}_usage_removed AFTER DELETE ON ${table} BEGIN
    ${update} row_count = row_count - 1, bytes = bytes - (${bytesOf(counted, 'OLD')}) WHERE tenant = OLD.tenant;
  END;
  ${changed}`;
}

const schema: TableSchema = {
  [USAGE_VERSION]: `CREATE TABLE tenant_usage(
    tenant TEXT PRIMARY KEY, row_count INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ${BY_TRIGGER.map(triggers).join('\n  ')}`,
};

/** Counts receipts of runs in the writer's thread. */
export interface UsageCounter {
  readonly receipt: (tenant: string, payload: Uint8Array, signature: Uint8Array) => void;
  /** A row of an older ledger. */
  readonly row: (tenant: string, bytes: number) => void;
  /** Writes what was counted since the last call; inside the transaction of the counted rows. */
  readonly store: () => void;
  /** To call after a rollback. */
  readonly forget: () => void;
}

export function usageCounter({ prepare }: Connection): UsageCounter {
  const put = prepare(
    `INSERT INTO tenant_usage(tenant, row_count, bytes) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET row_count = row_count + excluded.row_count, bytes = bytes + excluded.bytes`,
  );
  const counted = new Map<string, { rows: number; bytes: number }>();
  const add = (tenant: string, bytes: number): void => {
    const found = counted.get(tenant);
    if (found === undefined) counted.set(tenant, { rows: 1, bytes });
    else {
      found.rows += 1;
      found.bytes += bytes;
    }
  };
  return {
    receipt: (tenant, payload, signature) => add(tenant, RECEIPT_OVERHEAD + payload.length + signature.length),
    row: add,
    store: () => {
      for (const [tenant, { rows, bytes }] of counted) put.run(tenant, rows, bytes);
      counted.clear();
    },
    forget: () => counted.clear(),
  };
}

const usageOf = (row: Row): TenantUsage => ({ rows: integerOf(row, 'row_count'), bytes: integerOf(row, 'bytes') });

function usagePort({ prepare, read }: TableParts<never>): TenantUsagePort {
  const one = prepare('SELECT row_count, bytes FROM tenant_usage WHERE tenant = ?');
  const largest = prepare('SELECT tenant, row_count, bytes FROM tenant_usage ORDER BY bytes DESC, tenant LIMIT ?');
  return {
    tenantUsage: (tenant) =>
      read(() => {
        const row = one.get(tenant);
        return row === undefined ? { rows: 0, bytes: 0 } : usageOf(row);
      }),
    largestTenants: (limit) =>
      read(() => largest.all(limit).map((row) => ({ tenant: textOf(row, 'tenant'), ...usageOf(row) }))),
  };
}

/** Written by triggers of the tables that it counts, and for runs by `sqlite-writer/run-writer.ts`. */
export const tenantUsage = { schema, port: usagePort, writers: nothing };
