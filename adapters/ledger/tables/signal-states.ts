import { integerOf, jsonList, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** What is remembered of a fingerprint of a source: the state that later events are judged against. */
export interface SignalState {
  /** ≤ 4 096 characters. */
  readonly fingerprint: string;
  /** JSON text that the caller alone understands, ≤ 65 536 characters. */
  readonly json: string;
  /** ms since epoch; it is erased with signals of this age. */
  readonly updatedAt: number;
}

/** States by source and fingerprint. They are written with a delivery (`applyDeliveries`). */
interface SignalStatePort {
  /** Those that there are, in no order. @param fingerprints at most 1000; @throws RangeError more */
  readonly signalStates: (source: string, fingerprints: readonly string[]) => Promise<readonly SignalState[]>;
}

/** How a state crosses to the writer. */
export type StateColumns = readonly [fingerprint: string, json: string, updatedAt: number];

export const stateColumns = ({ fingerprint, json, updatedAt }: SignalState): StateColumns => [
  fingerprint,
  json,
  updatedAt,
];

const schema: TableSchema = {
  6: `CREATE TABLE signal_states(
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, fingerprint TEXT NOT NULL, updated_at INTEGER NOT NULL,
    json TEXT NOT NULL, UNIQUE (source, fingerprint)
  ) STRICT;
  CREATE INDEX signal_states_updated ON signal_states(source, updated_at);`,
};

const MAX_FINGERPRINTS = 1000;
const MAX_FINGERPRINT_CHARACTERS = 4096;
const MAX_JSON_CHARACTERS = 65_536;

/** Why a state can't be written; undefined: it can. */
export function faultOfState([fingerprint, json, updatedAt]: StateColumns): string | undefined {
  if (fingerprint.length > MAX_FINGERPRINT_CHARACTERS) return 'a fingerprint is too long';
  if (!Number.isSafeInteger(updatedAt)) return 'a time is no whole number of milliseconds';
  return json.length > MAX_JSON_CHARACTERS ? `a state is longer than ${MAX_JSON_CHARACTERS} characters` : undefined;
}

/** States in the writer's thread. */
export interface SignalStateRows {
  readonly put: (source: number, state: StateColumns) => void;
  /** Erases states of a source that were not changed since a time. @returns their number */
  readonly eraseBefore: (source: number, at: number, limit: number) => number;
}

export function signalStateRows(db: Connection): SignalStateRows {
  const put = db.prepare(
    `INSERT INTO signal_states(source, fingerprint, updated_at, json) VALUES (?, ?, ?, ?)
     ON CONFLICT (source, fingerprint) DO UPDATE SET updated_at = excluded.updated_at, json = excluded.json`,
  );
  const erase = db.prepare(
    `DELETE FROM signal_states WHERE id IN (
       SELECT id FROM signal_states WHERE source = ? AND updated_at < ? ORDER BY updated_at LIMIT ?)`,
  );
  return {
    put: (source, [fingerprint, json, updatedAt]) => {
      put.run(source, fingerprint, updatedAt, json);
    },
    eraseBefore: (source, at, limit) => Number(erase.run(source, at, limit).changes),
  };
}

const stateOf = (row: Row): SignalState => ({
  fingerprint: textOf(row, 'fingerprint'),
  json: textOf(row, 'json'),
  updatedAt: integerOf(row, 'updated_at'),
});

function signalStatePort({ prepare, read }: TableParts<never>): SignalStatePort {
  // One statement for all: a call for each fingerprint costs more than its row.
  const many = prepare(
    `SELECT fingerprint, signal_states.json AS json, updated_at FROM json_each(?) CROSS JOIN signal_states
     ON source = (SELECT id FROM ingest_sources WHERE source = ?) AND fingerprint = value`,
  );
  return {
    signalStates: (source, fingerprints) =>
      read(() => {
        if (fingerprints.length > MAX_FINGERPRINTS) throw new RangeError(`at most ${MAX_FINGERPRINTS} fingerprints`);
        return many.all(jsonList(fingerprints), source).map(stateOf);
      }),
  };
}

/** Written with deliveries: `sqlite-writer/ingest-writer.ts`. */
export const signalStateTable = { schema, port: signalStatePort, writers: nothing };
