import { readEntry } from '../../../core/log-entry/entry.ts';
import { integerOf } from '../sqlite/columns.ts';
import { entryBytes, MAX_ENTRY_BYTES } from './log.ts';
import type { Connection } from './table.ts';

/** What an incident is from now on, with what happened. */
export interface IncidentChange {
  /** `inc_…` */
  readonly incidentId: string;
  /** The revision that the caller has read; 0: the incident is new. */
  readonly expectedRevision: number;
  readonly tenant: string;
  /** Of the signals that belong to it, ≤ 4 096 characters. */
  readonly groupKey: string;
  readonly status: string;
  readonly severity: string;
  readonly orbId: string | null;
  readonly provider: string | null;
  /** ms since epoch. A signal that comes late may show an earlier beginning, or that there were two incidents. */
  readonly openedAt: number;
  /** When it was resolved or withdrawn, ms since epoch; null: it has not ended. */
  readonly endedAt: number | null;
  /** When time alone may change it, ms since epoch; null: never. */
  readonly dueAt: number | null;
  /** Whether the public status shows it. */
  readonly onStatusPage: boolean;
  /** JSON text that the caller alone understands, ≤ 65 536 characters. */
  readonly json: string;
  /** Added to its history, in this order. */
  readonly updates: readonly { readonly at: number; readonly by: string; readonly json: string }[];
  /** Its `incident` entry, appended to the log in the same transaction. The index of its first entry stays with it. */
  readonly logEntry?: string;
}

type UpdateColumns = readonly [at: number, by: string, json: string];

/** How a change crosses to the writer. */
export type ChangeColumns = readonly [
  incidentId: string,
  expectedRevision: number,
  tenant: string,
  groupKey: string,
  status: string,
  severity: string,
  orbId: string | null,
  provider: string | null,
  openedAt: number,
  endedAt: number | null,
  dueAt: number | null,
  onStatusPage: number,
  json: string,
  updates: readonly UpdateColumns[],
  logEntry: string | null,
];

export const changeColumns = (change: IncidentChange): ChangeColumns => [
  change.incidentId,
  change.expectedRevision,
  change.tenant,
  change.groupKey,
  change.status,
  change.severity,
  change.orbId,
  change.provider,
  change.openedAt,
  change.endedAt,
  change.dueAt,
  change.onStatusPage ? 1 : 0,
  change.json,
  change.updates.map(({ at, by, json }) => [at, by, json]),
  change.logEntry ?? null,
];

const MAX_GROUP_CHARACTERS = 4096;
const MAX_JSON_CHARACTERS = 65_536;

const isTime = (at: number | null): boolean => at === null || Number.isSafeInteger(at);

function faultOfEntry(entry: string, incidentId: string): string | undefined {
  if (entryBytes(entry) === undefined) return `a log entry is longer than ${MAX_ENTRY_BYTES} bytes`;
  return isEntryOf(entry, incidentId) ? undefined : 'the entry of an incident is that of another';
}

/** Whether a text is an entry about this incident. */
export function isEntryOf(text: string, incidentId: string): boolean {
  const entry = readEntry(text);
  return entry?.kind === 'incident' && entry.incident_id === incidentId;
}

/** Why a change can't be written; undefined: it can. */
export function faultOfChange(change: ChangeColumns): string | undefined {
  const [incidentId, revision, , groupKey, , , , , openedAt, endedAt, dueAt, , json, updates, entry] = change;
  if (groupKey.length > MAX_GROUP_CHARACTERS) return 'the key of a group is too long';
  if (!Number.isSafeInteger(revision) || revision < 0) return 'a revision is a whole number';
  const times = [openedAt, endedAt, dueAt, ...updates.map(([at]) => at)];
  if (!times.every(isTime)) return 'a time is no whole number of milliseconds';
  if ([json, ...updates.map(([, , text]) => text)].some((text) => text.length > MAX_JSON_CHARACTERS))
    return `a text of an incident is longer than ${MAX_JSON_CHARACTERS} characters`;
  return entry === null ? undefined : faultOfEntry(entry, incidentId);
}

/** Incidents in the writer's thread. */
export interface IncidentRows {
  /** 0: there is no such incident; -1: it is another tenant's. */
  readonly revisionOf: (incidentId: string, tenant: string) => number;
  /** @param logIndex of the entry of this change; null: it has none */
  readonly write: (change: ChangeColumns, logIndex: number | null) => void;
}

export function incidentRows(db: Connection): IncidentRows {
  const revision = db.prepare('SELECT revision, tenant FROM incidents WHERE incident_id = ?');
  const insert = db.prepare(
    `INSERT INTO incidents(incident_id, tenant, group_key, status, severity, orb_id, provider, opened_at, ended_at, due_at,
       on_status_page, json, log_index, revision)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) RETURNING id`,
  );
  const update = db.prepare(
    `UPDATE incidents SET status = ?, severity = ?, orb_id = ?, provider = ?, opened_at = ?, ended_at = ?, due_at = ?,
       on_status_page = ?, json = ?, log_index = coalesce(log_index, ?), revision = revision + 1
     WHERE incident_id = ? RETURNING id`,
  );
  const last = db.prepare('SELECT coalesce(max(position), -1) AS last FROM incident_updates WHERE incident = ?');
  const addUpdate = db.prepare('INSERT INTO incident_updates(incident, position, at, by, json) VALUES (?, ?, ?, ?, ?)');
  const put = (change: ChangeColumns, logIndex: number | null): number => {
    const [incidentId, expected, tenant, groupKey, status, severity, orbId, provider, ...rest] = change;
    const [openedAt, endedAt, dueAt, onStatusPage, json] = rest;
    const names = [incidentId, tenant, groupKey, status, severity, orbId, provider] as const;
    const state = [endedAt, dueAt, onStatusPage, json, logIndex] as const;
    const row =
      expected === 0
        ? insert.get(...names, openedAt, ...state)
        : update.get(status, severity, orbId, provider, openedAt, ...state, incidentId);
    return integerOf(row ?? {}, 'id');
  };
  return {
    revisionOf: (incidentId, tenant) => {
      const row = revision.get(incidentId);
      if (row === undefined) return 0;
      return row['tenant'] === tenant ? integerOf(row, 'revision') : -1;
    },
    write: (change, logIndex) => {
      const id = put(change, logIndex);
      const [, , , , , , , , , , , , , updates] = change;
      const first = integerOf(last.get(id) ?? {}, 'last') + 1;
      updates.forEach(([at, by, json], position) => addUpdate.run(id, first + position, at, by, json));
    },
  };
}
