import { blobOf, integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { indexPage, numberOfPlace, type PageQuery, type Place } from '../sqlite/index-page.ts';
import { openBody, STATES, type NewDelivery } from './deliveries.ts';
import { nothing, numberOf, type Connection, type TableParts } from './table.ts';

/** A delivery that could not be mapped. */
export interface DeadLetter extends Omit<NewDelivery, 'headers' | 'raw'> {
  readonly reason: string;
  /** JSON Pointer of what is wrong. */
  readonly pointer: string;
  /** For people. */
  readonly detail: string;
  readonly attempts: number;
  /** Length of the body. */
  readonly bytes: number;
  /** Whether the body is kept: without it the delivery can't be mapped again. */
  readonly hasBody: boolean;
}

/** A dead letter with what came. */
export interface DeadLetterWithBody extends DeadLetter {
  /** JSON text; undefined: the body was erased. */
  readonly headers: string | undefined;
  /** Undefined: it was erased, or stored under another data key. */
  readonly raw: Uint8Array | undefined;
}

interface DeadLetterQuery extends Pick<PageQuery, 'limit' | 'cursor'> {
  /** `namespace/name` */
  readonly source?: string;
  readonly reason?: string;
}

interface DeadLetterPage {
  /** Newest first. A page may hold fewer than `limit` though more follow. */
  readonly items: readonly DeadLetter[];
  readonly nextCursor: string | null;
}

/** Which dead letters are mapped again: one, or the oldest of a source and reason. */
type Redrive =
  | { readonly deliveryId: string }
  | {
      readonly source: string;
      /** Absent: for any reason. */
      readonly reason?: string;
      /** At most so many, 1–10 000. */
      readonly max: number;
    };

/** Deliveries that died: `dead` until they are sent again or erased. */
interface DeadLetterPort {
  readonly deadLetter: (tenant: string, deliveryId: string) => Promise<DeadLetterWithBody | undefined>;
  /** @throws RangeError limit outside 1–200, or a cursor that did not come from a page */
  readonly deadLetters: (tenant: string, query: DeadLetterQuery) => Promise<DeadLetterPage>;
  /**
   * Lets dead letters wait again, with the keys and the place in the order that they had. Those without a body stay.
   * @returns their number
   * @throws RangeError max outside 1–10 000
   */
  readonly redrive: (tenant: string, which: Redrive) => Promise<number>;
}

/** How a wish to redrive crosses to the writer: of one delivery, or of a source. */
export type RedriveRow = readonly [
  op: 'redrive',
  tenant: string,
  deliveryId: string | null,
  source: string | null,
  reason: string | null,
  limit: number,
];

const MAX_REDRIVEN = 10_000;
// Rows of one transaction: some milliseconds of the writer's time.
const SLICE_ROWS = 500;

/** Dead letters in the writer's thread. */
export interface DeadLetterRows {
  /** Lets them wait again. @returns the source of each */
  readonly revive: (row: RedriveRow) => readonly number[];
}

export function deadLetterRows(db: Connection): DeadLetterRows {
  const change = `UPDATE deliveries SET state = ${STATES.accepted}, attempts = attempts + 1, failures = 0`;
  const revivable = `state = ${STATES.dead} AND has_body = 1`;
  const one = db.prepare(`${change} WHERE delivery_id = ? AND tenant = ? AND ${revivable} RETURNING source`);
  const many = db.prepare(
    `${change} WHERE seq IN (
       SELECT seq FROM deliveries INDEXED BY deliveries_of_source
       WHERE source = (SELECT id FROM ingest_sources WHERE source = ? AND tenant = ?) AND ${revivable}
         AND reason = coalesce(?, reason)
       ORDER BY seq LIMIT ?) RETURNING source`,
  );
  return {
    revive: ([, tenant, deliveryId, source, reason, limit]) => {
      const rows = deliveryId === null ? many.all(source, tenant, reason, limit) : one.all(deliveryId, tenant);
      return rows.map((row) => integerOf(row, 'source'));
    },
  };
}

const letterOf = (row: Row): DeadLetter => ({
  deliveryId: textOf(row, 'delivery_id'),
  tenant: textOf(row, 'tenant'),
  source: textOf(row, 'source'),
  deliveryKey: textOf(row, 'delivery_key'),
  receivedAt: integerOf(row, 'received_at'),
  reason: textOf(row, 'reason'),
  pointer: textOf(row, 'pointer'),
  detail: textOf(row, 'detail'),
  attempts: integerOf(row, 'attempts'),
  bytes: integerOf(row, 'bytes'),
  hasBody: integerOf(row, 'has_body') === 1,
});

const SELECT = `SELECT seq, delivery_id, deliveries.tenant AS tenant, ingest_sources.source AS source, delivery_key, received_at, reason,
    pointer, detail, attempts, bytes, has_body
  FROM deliveries JOIN ingest_sources ON id = deliveries.source`;

const placeOf = (row: Row): Place => ({ at: integerOf(row, 'received_at'), id: String(integerOf(row, 'seq')) });

function deadLetterPort({ prepare, read, write, dataKey }: TableParts<RedriveRow>): DeadLetterPort {
  const one = prepare(`${SELECT} WHERE delivery_id = ? AND deliveries.tenant = ? AND state = ${STATES.dead}`);
  const byNumber = prepare(`${SELECT} WHERE seq = ?`);
  const body = prepare('SELECT headers, raw FROM delivery_bodies WHERE seq = ?');
  const newest = prepare(
    `SELECT received_at, seq, source, reason FROM deliveries INDEXED BY deliveries_dead
     WHERE state = ${STATES.dead} AND tenant = ? AND (received_at, seq) < (?, ?)
     ORDER BY received_at DESC, seq DESC LIMIT ?`,
  );
  const sourceId = prepare('SELECT id FROM ingest_sources WHERE source = ?');
  const page = async (tenant: string, query: DeadLetterQuery): Promise<DeadLetterPage> => {
    const source = query.source === undefined ? undefined : sourceId.get(query.source)?.['id'];
    const slice = (place: Place, rows: number): readonly Row[] =>
      newest.all(tenant, place.at, numberOfPlace(place), rows);
    const matches = (row: Row): boolean =>
      (query.source === undefined || row['source'] === source) &&
      (query.reason === undefined || row['reason'] === query.reason);
    const { rows, nextCursor } = await indexPage(query, { slice, matches, placeOf });
    const found = rows.map((row) => byNumber.get(integerOf(row, 'seq')));
    return { items: found.flatMap((row) => (row === undefined ? [] : [letterOf(row)])), nextCursor };
  };
  const withBody = (row: Row): DeadLetterWithBody => {
    const letter = letterOf(row);
    const kept = letter.hasBody ? body.get(integerOf(row, 'seq')) : undefined;
    if (kept === undefined) return { ...letter, headers: undefined, raw: undefined };
    return { ...letter, headers: textOf(kept, 'headers'), raw: openBody(blobOf(kept, 'raw'), letter, dataKey) };
  };
  const redriveMany = async (
    tenant: string,
    source: string,
    reason: string | undefined,
    max: number,
  ): Promise<number> => {
    if (!Number.isInteger(max) || max < 1 || max > MAX_REDRIVEN) throw new RangeError(`max must be 1–${MAX_REDRIVEN}`);
    for (let revived = 0; ;) {
      const limit = Math.min(SLICE_ROWS, max - revived);
      const count = numberOf(await write(['redrive', tenant, null, source, reason ?? null, limit]));
      revived += count;
      if (count < limit || revived === max) return revived;
    }
  };
  return {
    deadLetter: (tenant, deliveryId) =>
      read(() => {
        const row = one.get(deliveryId, tenant);
        return row && withBody(row);
      }),
    deadLetters: (tenant, query) => read(() => page(tenant, query)),
    redrive: async (tenant, which) =>
      'deliveryId' in which
        ? numberOf(await write(['redrive', tenant, which.deliveryId, null, null, 1]))
        : redriveMany(tenant, which.source, which.reason, which.max),
  };
}

/** Deliveries of one state. It has no table of its own. */
export const deadLetters = { schema: {}, port: deadLetterPort, writers: nothing };
