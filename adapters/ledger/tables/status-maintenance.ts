import { integerOf, textOf, type Row } from '../sqlite/columns.ts';
import {
  refused,
  unexpected,
  type RowOf,
  type RowResult,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

/** A time in which somebody works on services, told beforehand (ingest-ledger.md §5). */
export interface NewMaintenance {
  /** `mnt_…` */
  readonly id: string;
  /** Half open, ms since epoch. */
  readonly from: number;
  readonly to: number;
  readonly services: readonly string[];
  readonly title: string;
  readonly by: string;
}

interface StoredMaintenance extends NewMaintenance {
  /** By the ledger's clock, ms since epoch: nobody can announce afterwards. */
  readonly announcedAt: number;
  /** When it was cancelled, or ended early; ms since epoch. Null: neither. */
  readonly cancelledAt: number | null;
}

type EndMaintenanceResult =
  | { readonly kind: 'ended'; readonly maintenance: StoredMaintenance }
  | { readonly kind: 'not-found' }
  /** It ended before: this call wrote nothing. */
  | { readonly kind: 'over' };

/** Maintenance is never erased: it says which outages count. */
interface MaintenancePort {
  readonly addMaintenance: (maintenance: NewMaintenance) => Promise<StoredMaintenance>;
  /** Windows that end after a time, the first to begin first, at most 1000. */
  readonly maintenance: (query: { readonly since: number }) => Promise<readonly StoredMaintenance[]>;
  /** Cancels what has not begun at this time, or ends what has. The first end stays. */
  readonly endMaintenance: (id: string, at: number) => Promise<EndMaintenanceResult>;
}

type MaintenanceOperations = {
  readonly addMaintenance: readonly [maintenance: NewMaintenance, announcedAt: number];
  readonly endMaintenance: readonly [id: string, at: number];
};

const schema: TableSchema = {
  6: `CREATE TABLE status_maintenance(
    id TEXT PRIMARY KEY, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, services TEXT NOT NULL, title TEXT NOT NULL,
    announced_ms INTEGER NOT NULL, by TEXT NOT NULL, cancelled_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX status_maintenance_end ON status_maintenance(to_ms);`,
};

const MAX_WINDOWS = 1000;
const NOT_WHOLE = 'a time is no whole number of milliseconds';

function maintenanceWriters(db: WriterParts): Writers<MaintenanceOperations> {
  const insert = db.prepare(
    `INSERT INTO status_maintenance(id, from_ms, to_ms, services, title, announced_ms, by) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const cancel = db.prepare(
    'UPDATE status_maintenance SET cancelled_ms = ?1 WHERE id = ?2 AND cancelled_ms IS NULL AND to_ms > ?1',
  );
  const one = db.prepare('SELECT 1 AS found FROM status_maintenance WHERE id = ?');
  return {
    addMaintenance: ({ id, from, to, services, title, by }, announcedAt) => {
      if (![from, to, announcedAt].every(Number.isSafeInteger)) return refused(NOT_WHOLE);
      const columns = [id, from, to, services.join(' '), title, announcedAt, by] as const;
      return insert.run(...columns).changes === 1 ? null : refused('the id of the maintenance is taken');
    },
    endMaintenance: (id, at) => {
      if (!Number.isSafeInteger(at)) return refused(NOT_WHOLE);
      if (cancel.run(at, id).changes === 1) return null;
      return one.get(id) === undefined ? ['missing'] : ['conflict', 'over'];
    },
  };
}

const maintenanceOf = (row: Row): StoredMaintenance => ({
  id: textOf(row, 'id'),
  from: integerOf(row, 'from_ms'),
  to: integerOf(row, 'to_ms'),
  services: textOf(row, 'services').split(' '),
  title: textOf(row, 'title'),
  announcedAt: integerOf(row, 'announced_ms'),
  by: textOf(row, 'by'),
  cancelledAt: row['cancelled_ms'] === null ? null : integerOf(row, 'cancelled_ms'),
});

function maintenancePort({ prepare, read, write, now }: TableParts<RowOf<MaintenanceOperations>>): MaintenancePort {
  const SELECT = 'SELECT id, from_ms, to_ms, services, title, announced_ms, by, cancelled_ms FROM status_maintenance';
  const one = prepare(`${SELECT} WHERE id = ?`);
  const since = prepare(`${SELECT} WHERE to_ms > ? ORDER BY from_ms, id LIMIT ${MAX_WINDOWS}`);
  const endResult = async (result: RowResult, id: string): Promise<EndMaintenanceResult> => {
    if (result === null) return { kind: 'ended', maintenance: await read(() => maintenanceOf(one.get(id) ?? {})) };
    if (typeof result === 'number') throw unexpected(result);
    if (result[0] === 'missing') return { kind: 'not-found' };
    if (result[0] === 'conflict') return { kind: 'over' };
    throw unexpected(result);
  };
  return {
    addMaintenance: async (maintenance) => {
      const announcedAt = now();
      const result = await write(['addMaintenance', maintenance, announcedAt]);
      if (result !== null) throw unexpected(result);
      return { ...maintenance, announcedAt, cancelledAt: null };
    },
    maintenance: (query) => read(() => since.all(query.since).map(maintenanceOf)),
    endMaintenance: async (id, at) => endResult(await write(['endMaintenance', id, at]), id),
  };
}

export const maintenanceTable = { schema, port: maintenancePort, writers: maintenanceWriters };
