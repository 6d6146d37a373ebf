import { integerOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { indexPage, numberOfPlace, type PageQuery, type Place } from '../sqlite/index-page.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** A normalised event of a delivery. */
export interface NewSignal {
  /** `sig_…` */
  readonly signalId: string;
  /** When it was observed, by the platform's clock; ms since epoch. */
  readonly at: number;
  /** `sha256:` and 64 hex digits. A repeat of source and key is only counted. */
  readonly semanticKey: string;
  readonly orbId: string | null;
  readonly provider: string | null;
  readonly status: string;
  readonly severity: string;
  /** JSON text that the caller alone understands, ≤ 65 536 characters. */
  readonly json: string;
}

export interface StoredSignal extends NewSignal {
  readonly tenant: string;
  /** `namespace/name` */
  readonly source: string;
  /** The delivery that brought it first. */
  readonly deliveryId: string;
  /** How often it came again. */
  readonly repeatCount: number;
  /** When it was observed last, ms since epoch. */
  readonly lastSeen: number;
}

export interface SignalQuery extends PageQuery {
  /** `namespace/name` */
  readonly source?: string;
  readonly orbId?: string;
  readonly deliveryId?: string;
  readonly status?: string;
}

interface SignalPage {
  /** Newest first. A page may hold fewer than `limit` though more follow. */
  readonly items: readonly StoredSignal[];
  readonly nextCursor: string | null;
}

/** Events that vendors told. They are written with their delivery (`applyDeliveries`). */
interface SignalPort {
  readonly signal: (tenant: string, signalId: string) => Promise<StoredSignal | undefined>;
  /** @throws RangeError limit outside 1–200, or a cursor that did not come from a page */
  readonly signals: (tenant: string, query: SignalQuery) => Promise<SignalPage>;
}

/** How a signal crosses to the writer. */
export type SignalColumns = readonly [
  signalId: string,
  at: number,
  semanticKey: string,
  orbId: string | null,
  provider: string | null,
  status: string,
  severity: string,
  json: string,
];

export const signalColumns = (signal: NewSignal): SignalColumns => [
  signal.signalId,
  signal.at,
  signal.semanticKey,
  signal.orbId,
  signal.provider,
  signal.status,
  signal.severity,
  signal.json,
];

const schema: TableSchema = {
  // `source` and `delivery` are numbers of rows; the key is 32 bytes. The index of the newest holds every column that a
  // query filters by.
  6: `CREATE TABLE signals(
    id INTEGER PRIMARY KEY, signal_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, source INTEGER NOT NULL,
    delivery INTEGER NOT NULL, at INTEGER NOT NULL, semantic_key BLOB NOT NULL, repeat_count INTEGER NOT NULL,
    last_seen INTEGER NOT NULL, status TEXT NOT NULL, severity TEXT NOT NULL, orb_id TEXT, provider TEXT,
    json TEXT NOT NULL, UNIQUE (source, semantic_key)
  ) STRICT;
  CREATE INDEX signals_newest ON signals(tenant, at, id, source, status, orb_id);
  CREATE INDEX signals_of_source ON signals(source, delivery);`,
};

const KEY = /^sha256:[0-9a-f]{64}$/;
const MAX_JSON_CHARACTERS = 65_536;

/** Why a signal can't be written; undefined: it can. */
export function faultOfSignal([, at, semanticKey, , , , , json]: SignalColumns): string | undefined {
  if (!Number.isSafeInteger(at)) return 'a time is no whole number of milliseconds';
  if (!KEY.test(semanticKey)) return 'a semantic key is sha256: and 64 hex digits';
  return json.length > MAX_JSON_CHARACTERS ? `a signal is longer than ${MAX_JSON_CHARACTERS} characters` : undefined;
}

/** Where a signal came from. */
interface SignalOrigin {
  readonly tenant: string;
  readonly source: number;
  readonly delivery: number;
}

/** Signals in the writer's thread. */
export interface SignalRows {
  /** Writes a signal, or counts its repeat. */
  readonly put: (origin: SignalOrigin, signal: SignalColumns) => void;
  /** Erases the oldest signals of a source, those of deliveries that came before a time. @returns their number */
  readonly eraseBefore: (source: number, at: number, limit: number) => number;
}

export function signalRows(db: Connection): SignalRows {
  const put = db.prepare(
    `INSERT INTO signals(signal_id, tenant, source, delivery, at, semantic_key, repeat_count, last_seen, status, severity,
       orb_id, provider, json)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (source, semantic_key)
       DO UPDATE SET repeat_count = repeat_count + 1, last_seen = max(last_seen, excluded.last_seen)
     ON CONFLICT DO NOTHING`,
  );
  const oldest = db.prepare(
    `SELECT id, received_at FROM signals INDEXED BY signals_of_source JOIN deliveries ON seq = delivery
     WHERE signals.source = ? ORDER BY delivery LIMIT ?`,
  );
  const erase = db.prepare('DELETE FROM signals WHERE id = ?');
  return {
    put: ({ tenant, source, delivery }, [signalId, at, semanticKey, orbId, provider, status, severity, json]) => {
      const key = Buffer.from(semanticKey.slice(7), 'hex');
      put.run(signalId, tenant, source, delivery, at, key, at, status, severity, orbId, provider, json);
    },
    eraseBefore: (source, at, limit) => {
      const rows = oldest.all(source, limit);
      const young = rows.findIndex((row) => integerOf(row, 'received_at') >= at);
      const old = young < 0 ? rows : rows.slice(0, young);
      for (const row of old) erase.run(integerOf(row, 'id'));
      return old.length;
    },
  };
}

const SELECT = `SELECT signal_id, signals.tenant AS tenant, ingest_sources.source AS source, delivery_id, at, hex(semantic_key) AS key,
    repeat_count, last_seen, status, severity, orb_id, provider, json
  FROM signals JOIN ingest_sources ON ingest_sources.id = signals.source JOIN deliveries ON seq = delivery`;

const signalOf = (row: Row): StoredSignal => ({
  signalId: textOf(row, 'signal_id'),
  tenant: textOf(row, 'tenant'),
  source: textOf(row, 'source'),
  deliveryId: textOf(row, 'delivery_id'),
  at: integerOf(row, 'at'),
  semanticKey: `sha256:${textOf(row, 'key').toLowerCase()}`,
  repeatCount: integerOf(row, 'repeat_count'),
  lastSeen: integerOf(row, 'last_seen'),
  status: textOf(row, 'status'),
  severity: textOf(row, 'severity'),
  orbId: optionalTextOf(row, 'orb_id'),
  provider: optionalTextOf(row, 'provider'),
  json: textOf(row, 'json'),
});

const placeOf = (row: Row): Place => ({ at: integerOf(row, 'at'), id: String(integerOf(row, 'id')) });

const NEWEST = 'SELECT at, id, source, status, orb_id FROM signals';
const OLDER = '(at, id) < (?, ?) AND at >= ? AND at < ? ORDER BY at DESC, id DESC LIMIT ?';

function signalPort({ prepare, read }: TableParts<never>): SignalPort {
  const byId = prepare(`${SELECT} WHERE signal_id = ? AND signals.tenant = ?`);
  const byNumber = prepare(`${SELECT} WHERE signals.id = ?`);
  const newest = prepare(`${NEWEST} INDEXED BY signals_newest WHERE tenant = ? AND ${OLDER}`);
  const ofDelivery = prepare(
    `${NEWEST} INDEXED BY signals_of_source
     WHERE (source, delivery) = (SELECT source, seq FROM deliveries WHERE delivery_id = ?) AND tenant = ? AND ${OLDER}`,
  );
  const sourceId = prepare('SELECT id FROM ingest_sources WHERE source = ?');
  /** Undefined: no source was asked for. */
  const numberOf = (source: string | undefined): number | undefined => {
    const row = source === undefined ? undefined : sourceId.get(source);
    if (source === undefined) return undefined;
    return row === undefined ? -1 : integerOf(row, 'id');
  };
  const page = async (tenant: string, query: SignalQuery): Promise<SignalPage> => {
    const { deliveryId, orbId, status, since = 0, until = Number.MAX_SAFE_INTEGER } = query;
    const source = numberOf(query.source);
    const slice = (place: Place, rows: number): readonly Row[] => {
      const rest = [place.at, numberOfPlace(place), since, until, rows] as const;
      return deliveryId === undefined ? newest.all(tenant, ...rest) : ofDelivery.all(deliveryId, tenant, ...rest);
    };
    const matches = (row: Row): boolean =>
      (source === undefined || row['source'] === source) &&
      (status === undefined || row['status'] === status) &&
      (orbId === undefined || row['orb_id'] === orbId);
    const { rows, nextCursor } = await indexPage(query, { slice, matches, placeOf });
    const found = rows.map((row) => byNumber.get(integerOf(row, 'id')));
    return { items: found.flatMap((row) => (row === undefined ? [] : [signalOf(row)])), nextCursor };
  };
  return {
    signal: (tenant, signalId) =>
      read(() => {
        const row = byId.get(signalId, tenant);
        return row && signalOf(row);
      }),
    signals: (tenant, query) => read(() => page(tenant, query)),
  };
}

/** Written with deliveries: `sqlite-writer/ingest-writer.ts`. */
export const signalTable = { schema, port: signalPort, writers: nothing };
