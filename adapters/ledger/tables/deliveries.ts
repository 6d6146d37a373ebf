import { freeBytes } from '../../memory/free-bytes.ts';
import { openBytes, sealBytes, type AnswerPlace } from '../sealed-answer.ts';
import { blobOf, integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { checkLimit } from '../sqlite/index-page.ts';
import { nonceOf } from './idempotency.ts';
import { nothing, unexpected, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** A verified request of a vendor, as it is accepted. */
export interface NewDelivery {
  /** `dlv_…` */
  readonly deliveryId: string;
  readonly tenant: string;
  /** `namespace/name` of the source. */
  readonly source: string;
  /** The signed id, or `sha256:…` over source and body, ≤ 1 024 characters. */
  readonly deliveryKey: string;
  /** ms since epoch */
  readonly receivedAt: number;
  /** JSON text of the headers that are kept, ≤ 65 536 characters; holds no credential. */
  readonly headers: string;
  /** The verified bytes, ≤ 4 MiB. They are stored encrypted. */
  readonly raw: Uint8Array;
}

/** How many deliveries may wait to be mapped. */
interface QueueBounds {
  readonly perSource: number;
  readonly inAll: number;
}

type AcceptResult =
  | { readonly kind: 'accepted' }
  /** The source sent this key before: this call wrote nothing. */
  | { readonly kind: 'duplicate'; readonly deliveryId: string }
  /** So many deliveries wait already: this call wrote nothing. */
  | { readonly kind: 'full' };

/** A delivery that waits to be mapped. */
export interface AcceptedDelivery extends Omit<NewDelivery, 'raw'> {
  /** Its place in the order of arrival of all deliveries. */
  readonly seq: number;
  /** How often it was tried: times that it failed or was sent again. */
  readonly attempts: number;
  /** Undefined: it was stored under another data key, so that nobody can read it. */
  readonly raw: Uint8Array | undefined;
}

interface AcceptedQuery {
  /** 1–200. */
  readonly limit: number;
  /** Stop behind the delivery whose body passes this sum, bytes; absent: 1 MiB. */
  readonly maxBytes?: number;
  /** Only those that came after this one. */
  readonly afterSeq?: number;
}

/** A lease and the epoch in which its holder acts (`acquireLease`). */
export interface HeldLease {
  readonly name: string;
  readonly epoch: number;
}

type FailResult =
  | { readonly kind: 'failed'; readonly isDead: boolean }
  | { readonly kind: 'lost-lease' }
  /** It was mapped, died before, or is unknown: this call wrote nothing. */
  | { readonly kind: 'not-waiting' };

/** Deliveries from their acceptance until they are mapped (ingest-ledger.md §2). */
interface DeliveryPort {
  /**
   * Must let one through for each source and key, also of concurrent calls. The bounds hold for concurrent calls too. A
   * repeat of a durable delivery must be found without the writer: a storm of repeats then delays no run.
   */
  readonly acceptDelivery: (delivery: NewDelivery, bounds: QueueBounds) => Promise<AcceptResult>;
  /** In order of arrival. @throws RangeError limit outside 1–200 */
  readonly acceptedDeliveries: (query: AcceptedQuery) => Promise<readonly AcceptedDelivery[]>;
  /**
   * Notes that a waiting delivery could not be mapped for a reason outside of it. After three times it is a dead letter
   * with the reason `downstream`.
   * @param detail for people, ≤ 4 096 characters
   */
  readonly failDelivery: (lease: HeldLease, deliveryId: string, detail: string) => Promise<FailResult>;
}

/** How a delivery crosses to the writer. */
export type AcceptRow = readonly [
  op: 'acceptDelivery',
  deliveryId: string,
  tenant: string,
  source: string,
  deliveryKey: string,
  receivedAt: number,
  bytes: number,
  headers: string,
  /** Encrypted. */
  raw: Uint8Array,
  perSource: number,
  inAll: number,
];

export type FailRow = readonly [op: 'failDelivery', lease: string, epoch: number, deliveryId: string, detail: string];

/** `deliveries.state` */
export const STATES = { accepted: 0, done: 1, dead: 2 } as const;

const schema: TableSchema = {
  // `has_body` is 0 when retention erased the body. Rows stay as long as signals of the source do: signals name them.
  6: `CREATE TABLE deliveries(
    seq INTEGER PRIMARY KEY, delivery_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, source INTEGER NOT NULL,
    delivery_key TEXT NOT NULL, received_at INTEGER NOT NULL, bytes INTEGER NOT NULL, state INTEGER NOT NULL,
    has_body INTEGER NOT NULL, attempts INTEGER NOT NULL, failures INTEGER NOT NULL, reason TEXT, pointer TEXT,
    detail TEXT, UNIQUE (source, delivery_key)
  ) STRICT;
  CREATE INDEX deliveries_accepted ON deliveries(seq) WHERE state = 0;
  CREATE INDEX deliveries_of_source ON deliveries(source, state, seq);
  CREATE INDEX deliveries_bodies ON deliveries(source, seq) WHERE state = 1 AND has_body = 1;
  CREATE INDEX deliveries_dead ON deliveries(tenant, received_at, seq, source, reason) WHERE state = 2;
  CREATE TABLE delivery_bodies(seq INTEGER PRIMARY KEY, headers TEXT NOT NULL, raw BLOB NOT NULL) STRICT;`,
};

// Bodies that one call opens: a millisecond or two of the event loop.
const MAX_BYTES = 1_048_576;

const placeOf = ({
  tenant,
  source,
  deliveryId,
}: Pick<NewDelivery, 'tenant' | 'source' | 'deliveryId'>): AnswerPlace => ({
  tenant,
  path: `delivery ${source}`,
  key: deliveryId,
});

/** @returns undefined: the body was sealed with another data key */
export function openBody(
  sealed: Uint8Array,
  delivery: Pick<NewDelivery, 'tenant' | 'source' | 'deliveryId'>,
  dataKey: Uint8Array,
): Uint8Array | undefined {
  try {
    return openBytes(sealed, placeOf(delivery), dataKey);
  } catch {
    return undefined;
  }
}

function acceptResult(result: RowResult): AcceptResult {
  if (result === null) return { kind: 'accepted' };
  if (typeof result === 'number') throw unexpected(result);
  if (result[0] === 'exists') return { kind: 'duplicate', deliveryId: result[1] };
  if (result[0] === 'full') return { kind: 'full' };
  throw unexpected(result);
}

function failResult(result: RowResult): FailResult {
  if (typeof result === 'number') return { kind: 'failed', isDead: result === STATES.dead };
  if (result?.[0] === 'fenced') return { kind: 'lost-lease' };
  if (result?.[0] === 'missing') return { kind: 'not-waiting' };
  throw unexpected(result);
}

function acceptedOf(row: Row, dataKey: Uint8Array): AcceptedDelivery {
  const sealed = blobOf(row, 'raw');
  const names = {
    deliveryId: textOf(row, 'delivery_id'),
    tenant: textOf(row, 'tenant'),
    source: textOf(row, 'source'),
  };
  const raw = openBody(sealed, names, dataKey);
  freeBytes(sealed);
  return {
    ...names,
    seq: integerOf(row, 'seq'),
    deliveryKey: textOf(row, 'delivery_key'),
    receivedAt: integerOf(row, 'received_at'),
    attempts: integerOf(row, 'attempts'),
    headers: textOf(row, 'headers'),
    raw,
  };
}

const SELECT_ACCEPTED = `SELECT deliveries.seq AS seq, delivery_id, deliveries.tenant AS tenant,
    ingest_sources.source AS source, delivery_key, received_at, bytes, attempts, headers, raw
  FROM deliveries JOIN ingest_sources ON id = deliveries.source JOIN delivery_bodies USING (seq)
  WHERE state = ${STATES.accepted} AND deliveries.seq > ? ORDER BY deliveries.seq LIMIT ?`;

function deliveryPort(parts: TableParts<AcceptRow | FailRow>): DeliveryPort {
  const { prepare, read, write, random, dataKey } = parts;
  const accepted = prepare(SELECT_ACCEPTED);
  const durable = prepare(
    `SELECT delivery_id FROM deliveries
     WHERE source = (SELECT id FROM ingest_sources WHERE source = ?) AND delivery_key = ?`,
  );
  /** The reader sees synced rows only. One that is being written now is found by the writer. */
  const earlier = ({ source, deliveryKey }: NewDelivery): string | undefined => {
    const row = durable.get(source, deliveryKey);
    return row && textOf(row, 'delivery_id');
  };
  const slice = ({ limit, maxBytes = MAX_BYTES, afterSeq = 0 }: AcceptedQuery): readonly AcceptedDelivery[] => {
    checkLimit(limit);
    const found: AcceptedDelivery[] = [];
    let bytes = 0;
    for (const row of accepted.iterate(afterSeq, limit)) {
      found.push(acceptedOf(row, dataKey));
      bytes += integerOf(row, 'bytes');
      if (bytes >= maxBytes) break;
    }
    return found;
  };
  return {
    acceptDelivery: async (delivery, { perSource, inAll }) => {
      const known = await read(() => earlier(delivery));
      if (known !== undefined) return { kind: 'duplicate', deliveryId: known };
      const { deliveryId, tenant, source, deliveryKey, receivedAt, headers, raw } = delivery;
      const sealed = sealBytes(raw, placeOf(delivery), dataKey, nonceOf(random));
      const names = [deliveryId, tenant, source, deliveryKey] as const;
      const row = [...names, receivedAt, raw.length, headers, sealed, perSource, inAll] as const;
      return acceptResult(await write(['acceptDelivery', ...row]));
    },
    acceptedDeliveries: (query) => read(() => slice(query)),
    failDelivery: async ({ name, epoch }, deliveryId, detail) =>
      failResult(await write(['failDelivery', name, epoch, deliveryId, detail])),
  };
}

/** Written with the counts of its source: `sqlite-writer/ingest-writer.ts`. */
export const deliveryTable = { schema, port: deliveryPort, writers: nothing };
