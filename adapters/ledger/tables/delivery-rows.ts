import { integerOf, textOf } from '../sqlite/columns.ts';
import { STATES, type AcceptRow } from './deliveries.ts';
import type { Connection } from './table.ts';

/** A waiting delivery in the writer's thread. */
export interface WaitingDelivery {
  readonly seq: number;
  readonly source: number;
  readonly tenant: string;
  readonly failures: number;
}

/** Why a delivery died. */
interface Death {
  readonly reason: string;
  readonly pointer: string;
  readonly detail: string;
}

/** Deliveries in the writer's thread. */
export interface DeliveryRows {
  /** The delivery of a source under a key. */
  readonly idOf: (source: number, deliveryKey: string) => string | undefined;
  /** @returns false: the delivery id is taken, and no row was written */
  readonly insert: (source: number, row: AcceptRow) => boolean;
  /** Undefined: the delivery is not waiting. */
  readonly waiting: (deliveryId: string) => WaitingDelivery | undefined;
  readonly setDone: (seq: number) => void;
  readonly setDead: (seq: number, death: Death) => void;
  readonly addFailure: (seq: number, detail: string) => void;
}

export function deliveryRows(db: Connection): DeliveryRows {
  const idOf = db.prepare('SELECT delivery_id FROM deliveries WHERE source = ? AND delivery_key = ?');
  const insert = db.prepare(
    `INSERT INTO deliveries(delivery_id, tenant, source, delivery_key, received_at, bytes, state, has_body, attempts,
       failures)
     VALUES (?, ?, ?, ?, ?, ?, ${STATES.accepted}, 1, 0, 0) ON CONFLICT DO NOTHING`,
  );
  const insertBody = db.prepare('INSERT INTO delivery_bodies(seq, headers, raw) VALUES (?, ?, ?)');
  const waiting = db.prepare(
    `SELECT seq, source, tenant, failures FROM deliveries WHERE delivery_id = ? AND state = ${STATES.accepted}`,
  );
  const setDone = db.prepare(
    `UPDATE deliveries SET state = ${STATES.done}, reason = NULL, pointer = NULL, detail = NULL WHERE seq = ?`,
  );
  const setDead = db.prepare(
    `UPDATE deliveries SET state = ${STATES.dead}, reason = ?, pointer = ?, detail = ? WHERE seq = ?`,
  );
  const addFailure = db.prepare(
    'UPDATE deliveries SET attempts = attempts + 1, failures = failures + 1, detail = ? WHERE seq = ?',
  );
  return {
    idOf: (source, deliveryKey) => {
      const row = idOf.get(source, deliveryKey);
      return row && textOf(row, 'delivery_id');
    },
    insert: (source, [, deliveryId, tenant, , deliveryKey, receivedAt, bytes, headers, raw]) => {
      const inserted = insert.run(deliveryId, tenant, source, deliveryKey, receivedAt, bytes);
      if (inserted.changes === 0) return false;
      insertBody.run(inserted.lastInsertRowid, headers, raw);
      return true;
    },
    waiting: (deliveryId) => {
      const row = waiting.get(deliveryId);
      return (
        row && {
          seq: integerOf(row, 'seq'),
          source: integerOf(row, 'source'),
          tenant: textOf(row, 'tenant'),
          failures: integerOf(row, 'failures'),
        }
      );
    },
    setDone: (seq) => {
      setDone.run(seq);
    },
    setDead: (seq, { reason, pointer, detail }) => {
      setDead.run(reason, pointer, detail, seq);
    },
    addFailure: (seq, detail) => {
      addFailure.run(detail, seq);
    },
  };
}
