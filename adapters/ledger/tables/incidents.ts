import { integerOf, jsonList, optionalBlobOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { checkLimit, indexPage, numberOfPlace, type PageQuery, type Place } from '../sqlite/index-page.ts';
import type { HeldLease } from './deliveries.ts';
import { changeColumns, isEntryOf, type ChangeColumns, type IncidentChange } from './incident-changes.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** An incident as its last change left it. */
export interface StoredIncident extends Omit<IncidentChange, 'expectedRevision' | 'updates' | 'logEntry'> {
  /** Number of changes, from 1 on: what the next change must expect. */
  readonly revision: number;
  /** Where its first entry stands in the log; null: it has none. */
  readonly logIndex: number | null;
}

/** A line of the history of an incident. */
interface IncidentUpdate {
  /** ms since epoch */
  readonly at: number;
  readonly by: string;
  /** JSON text that the caller alone understands. */
  readonly json: string;
}

/** An incident with its history, the oldest update first. */
export interface IncidentWithUpdates extends StoredIncident {
  readonly updates: readonly IncidentUpdate[];
}

export interface IncidentQuery extends Pick<PageQuery, 'limit' | 'cursor' | 'since' | 'until'> {
  readonly status?: string;
  readonly orbId?: string;
  readonly provider?: string;
}

interface IncidentPage {
  /** The last opened first. A page may hold fewer than `limit` though more follow. */
  readonly items: readonly StoredIncident[];
  readonly nextCursor: string | null;
}

/** What changes of incidents came to. */
export type ChangeResult =
  | { readonly kind: 'applied' }
  | { readonly kind: 'lost-lease' }
  /** These incidents have another revision than was expected: read them again. This call wrote nothing. */
  | { readonly kind: 'stale'; readonly incidentIds: readonly string[] };

/** Problems, one for each group of signals. */
interface IncidentPort {
  /**
   * Changes incidents by people or by time: all of them or none. Must hold for concurrent calls.
   * @param lease absent: no lease is needed
   */
  readonly changeIncidents: (changes: readonly IncidentChange[], lease?: HeldLease) => Promise<ChangeResult>;
  readonly incident: (tenant: string, incidentId: string) => Promise<IncidentWithUpdates | undefined>;
  /** @throws RangeError limit outside 1–200, or a cursor that did not come from a page */
  readonly incidents: (tenant: string, query: IncidentQuery) => Promise<IncidentPage>;
  /**
   * Incidents of these groups that have not ended, or ended at `endedSince` or later; at most 20 of each, or only one. The
   * last made first: a late signal may show that it began before the others.
   * @param groupKeys at most 1000; @throws RangeError more
   */
  readonly incidentsByGroup: (
    tenant: string,
    groupKeys: readonly string[],
    endedSince: number,
    options?: { readonly onlyNewest?: boolean },
  ) => Promise<readonly StoredIncident[]>;
  /** Incidents of all tenants whose `dueAt` is `now` or earlier, the first due first, at most 200. */
  readonly incidentsDue: (now: number, limit: number) => Promise<readonly StoredIncident[]>;
  /** Incidents of an Orb that have not ended, the last opened first, at most 200. */
  readonly openIncidents: (tenant: string, orbId: string) => Promise<readonly StoredIncident[]>;
  /** Incidents of all tenants that have not ended, by severity. */
  readonly openIncidentCounts: () => Promise<readonly { readonly severity: string; readonly open: number }[]>;
  /**
   * What the public status shows: incidents with `onStatusPage` that have not ended, or ended at `endedSince` or later,
   * the last opened first, at most 200.
   */
  readonly platformIncidents: (query: {
    readonly endedSince: number;
    readonly limit: number;
  }) => Promise<readonly IncidentWithUpdates[]>;
}

/** How changes cross to the writer; an epoch of -1: no lease is needed. */
export type ChangeRow = readonly [
  op: 'changeIncidents',
  lease: string,
  epoch: number,
  changes: readonly ChangeColumns[],
];

/** The first version of the schema with incidents. */
export const INCIDENTS_VERSION = 6;

const schema: TableSchema = {
  // The index of the newest holds every column that a query filters by.
  [INCIDENTS_VERSION]: `CREATE TABLE incidents(
    id INTEGER PRIMARY KEY, incident_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, group_key TEXT NOT NULL,
    status TEXT NOT NULL, severity TEXT NOT NULL, orb_id TEXT, provider TEXT, opened_at INTEGER NOT NULL,
    ended_at INTEGER, due_at INTEGER, on_status_page INTEGER NOT NULL, revision INTEGER NOT NULL, log_index INTEGER,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX incidents_newest ON incidents(tenant, opened_at, id, status, orb_id, provider);
  CREATE INDEX incidents_of_provider ON incidents(tenant, provider, opened_at, id, status, orb_id)
    WHERE provider IS NOT NULL;
  CREATE INDEX incidents_of_group ON incidents(tenant, group_key);
  CREATE INDEX incidents_due ON incidents(due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX incidents_open ON incidents(tenant, orb_id, severity) WHERE ended_at IS NULL;
  CREATE INDEX incidents_on_status_page ON incidents(ended_at) WHERE on_status_page = 1;
  CREATE TABLE incident_updates(
    incident INTEGER NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL, by TEXT NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (incident, position)
  ) STRICT, WITHOUT ROWID;`,
};

const MAX_GROUPS = 1000;
const MAX_LISTED = 200;
const MAX_OF_GROUP = 20;
/** Updates that one read gives: the last ones. */
const MAX_UPDATES = 500;

export function changeResult(result: RowResult): ChangeResult {
  if (result === null) return { kind: 'applied' };
  if (typeof result === 'number') throw unexpected(result);
  if (result[0] === 'fenced') return { kind: 'lost-lease' };
  if (result[0] === 'stale') return { kind: 'stale', incidentIds: result[1] };
  throw unexpected(result);
}

const numberOrNull = (row: Row, column: string): number | null =>
  row[column] === null ? null : integerOf(row, column);

const incidentOf = (row: Row): StoredIncident => ({
  incidentId: textOf(row, 'incident_id'),
  tenant: textOf(row, 'tenant'),
  groupKey: textOf(row, 'group_key'),
  status: textOf(row, 'status'),
  severity: textOf(row, 'severity'),
  orbId: optionalTextOf(row, 'orb_id'),
  provider: optionalTextOf(row, 'provider'),
  openedAt: integerOf(row, 'opened_at'),
  endedAt: numberOrNull(row, 'ended_at'),
  dueAt: numberOrNull(row, 'due_at'),
  onStatusPage: integerOf(row, 'on_status_page') === 1,
  revision: integerOf(row, 'revision'),
  logIndex: numberOrNull(row, 'log_index'),
  json: textOf(row, 'json'),
});

const updateOf = (row: Row): IncidentUpdate => ({
  at: integerOf(row, 'at'),
  by: textOf(row, 'by'),
  json: textOf(row, 'json'),
});

const placeOf = (row: Row): Place => ({ at: integerOf(row, 'opened_at'), id: String(integerOf(row, 'id')) });

const COLUMNS = `incidents.id AS id, incident_id, tenant, group_key, status, severity, orb_id, provider, opened_at, ended_at,
    due_at, on_status_page, revision, log_index, incidents.json AS json`;
const SELECT = `SELECT ${COLUMNS} FROM incidents`;

const OF_GROUP = `${SELECT} WHERE tenant = ? AND group_key = ? AND (ended_at IS NULL OR ended_at >= ?)
  ORDER BY id DESC`;

const isAskedFor = (row: Row, { status, orbId, provider }: IncidentQuery): boolean =>
  (status === undefined || row['status'] === status) &&
  (orbId === undefined || row['orb_id'] === orbId) &&
  (provider === undefined || row['provider'] === provider);

/** The lists of incidents. */
function incidentLists({ prepare, read }: TableParts<ChangeRow>): Pick<IncidentPort, 'incidents' | 'incidentsByGroup'> {
  const byNumber = prepare(`${SELECT} WHERE id = ?`);
  const columns = 'SELECT opened_at, id, status, orb_id, provider FROM incidents';
  const older = '(opened_at, id) < (?, ?) AND opened_at >= ? ORDER BY opened_at DESC, id DESC LIMIT ?';
  const newest = prepare(`${columns} INDEXED BY incidents_newest WHERE tenant = ? AND ${older}`);
  const ofProvider = prepare(`${columns} WHERE tenant = ? AND provider = ? AND ${older}`);
  // The limit is no parameter: SQLite compiles such a statement again at each call, which takes 50 µs.
  const ofGroup = prepare(`${OF_GROUP} LIMIT ${MAX_OF_GROUP}`);
  const newestOfGroups = prepare(
    `SELECT ${COLUMNS} FROM json_each(?) CROSS JOIN incidents ON incidents.id = (
       SELECT id FROM incidents WHERE tenant = ? AND group_key = value AND (ended_at IS NULL OR ended_at >= ?)
       ORDER BY id DESC LIMIT 1)`,
  );
  const page = async (tenant: string, query: IncidentQuery): Promise<IncidentPage> => {
    const { provider, since = 0 } = query;
    const slice = (place: Place, rows: number): readonly Row[] => {
      const rest = [place.at, numberOfPlace(place), since, rows] as const;
      return provider === undefined ? newest.all(tenant, ...rest) : ofProvider.all(tenant, provider, ...rest);
    };
    const { rows, nextCursor } = await indexPage(query, { slice, matches: (row) => isAskedFor(row, query), placeOf });
    const found = rows.map((row) => byNumber.get(integerOf(row, 'id')));
    return { items: found.flatMap((row) => (row === undefined ? [] : [incidentOf(row)])), nextCursor };
  };
  return {
    incidents: (tenant, query) => read(() => page(tenant, query)),
    incidentsByGroup: (tenant, groupKeys, endedSince, { onlyNewest } = {}) =>
      read(() => {
        if (groupKeys.length > MAX_GROUPS) throw new RangeError(`at most ${MAX_GROUPS} groups`);
        if (onlyNewest === true) return newestOfGroups.all(jsonList(groupKeys), tenant, endedSince).map(incidentOf);
        return [...new Set(groupKeys)].flatMap((key) => ofGroup.all(tenant, key, endedSince).map(incidentOf));
      }),
  };
}

function incidentPort(parts: TableParts<ChangeRow>): IncidentPort {
  const { prepare, read, write, writeLogged } = parts;
  const one = prepare(`${SELECT} WHERE incident_id = ? AND tenant = ?`);
  const due = prepare(`${SELECT} WHERE due_at <= ? ORDER BY due_at, id LIMIT ?`);
  const open = prepare(
    `${SELECT} WHERE tenant = ? AND orb_id = ? AND ended_at IS NULL ORDER BY opened_at DESC, id DESC LIMIT ${MAX_LISTED}`,
  );
  const counts = prepare(
    `SELECT severity, count(*) AS open FROM incidents INDEXED BY incidents_open WHERE ended_at IS NULL
     GROUP BY severity ORDER BY severity`,
  );
  // In two halves: one condition would read every incident that was ever shown.
  const onPage = prepare(
    `${SELECT} WHERE on_status_page = 1 AND ended_at IS NULL
     UNION ALL ${SELECT} WHERE on_status_page = 1 AND ended_at >= ? ORDER BY opened_at DESC, id DESC LIMIT ?`,
  );
  const updates = prepare(
    `SELECT at, by, json FROM incident_updates WHERE incident = ? ORDER BY position DESC LIMIT ${MAX_UPDATES}`,
  );
  const withUpdates = (row: Row): IncidentWithUpdates => ({
    ...incidentOf(row),
    updates: updates.all(integerOf(row, 'id')).map(updateOf).toReversed(),
  });
  return {
    ...incidentLists(parts),
    changeIncidents: async (changes, lease) => {
      const send = changes.some(({ logEntry }) => logEntry !== undefined) ? writeLogged : write;
      const { name = '', epoch = -1 } = lease ?? {};
      return changeResult(await send(['changeIncidents', name, epoch, changes.map(changeColumns)]));
    },
    incident: (tenant, incidentId) =>
      read(() => {
        const row = one.get(incidentId, tenant);
        return row && withUpdates(row);
      }),
    incidentsDue: (now, limit) =>
      read(() => {
        checkLimit(limit);
        return due.all(now, limit).map(incidentOf);
      }),
    openIncidents: (tenant, orbId) => read(() => open.all(tenant, orbId).map(incidentOf)),
    openIncidentCounts: () =>
      read(() => counts.all().map((row) => ({ severity: textOf(row, 'severity'), open: integerOf(row, 'open') }))),
    platformIncidents: ({ endedSince, limit }) =>
      read(() => {
        checkLimit(limit);
        return onPage.all(endedSince, limit).map(withUpdates);
      }),
  };
}

/** Whether each incident names its own entry of the log. Reads all of them: for the check of a copy. */
export function incidentsFit(db: Connection): boolean {
  const all = db.prepare(
    `SELECT incident_id, entry FROM incidents LEFT JOIN log_entries ON idx = log_index WHERE log_index IS NOT NULL`,
  );
  for (const row of all.iterate()) {
    if (!isEntryOf(optionalBlobOf(row, 'entry')?.toString('utf8') ?? '', textOf(row, 'incident_id'))) return false;
  }
  return true;
}

/** Written with the log, by `sqlite-writer/incident-writer.ts`. */
export const incidentTable = { schema, port: incidentPort, writers: nothing };
