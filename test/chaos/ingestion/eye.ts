import { DatabaseSync } from 'node:sqlite';
import { STATES } from '../../../adapters/ledger/tables/deliveries.ts';

/** A delivery in the ledger. */
interface EyedDelivery {
  readonly seq: number;
  readonly deliveryId: string;
  readonly state: number;
  readonly hasBody: boolean;
}

/** Deliveries of a ledger, read from its file while a platform writes it, or after it was killed. */
export interface IngestEye {
  /** Number of the newest delivery. */
  readonly newest: () => number;
  readonly waiting: () => number;
  readonly dead: () => number;
  readonly bodies: () => number;
  readonly signals: () => number;
  readonly deliveries: () => readonly EyedDelivery[];
  /** Whether a transaction that writes is under way. */
  readonly isWriting: () => boolean;
  readonly close: () => void;
}

/**
 * Opens the file beside the platform that uses it. It serves to choose the moment of a kill and to name what was hit. The
 * platform waits for the moment that `isWriting` takes.
 */
export function openIngestEye(file: string): IngestEye {
  const db = new DatabaseSync(file, { timeout: 0 });
  const counted = (from: string): (() => number) => {
    const statement = db.prepare(`SELECT count(*) AS count FROM ${from}`);
    return () => Number(statement.get()?.['count'] ?? 0);
  };
  const newest = db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM deliveries');
  const all = db.prepare('SELECT seq, delivery_id, state, has_body FROM deliveries ORDER BY seq');
  return {
    newest: () => Number(newest.get()?.['seq'] ?? 0),
    waiting: counted(`deliveries WHERE state = ${STATES.accepted}`),
    dead: counted(`deliveries WHERE state = ${STATES.dead}`),
    bodies: counted('delivery_bodies'),
    signals: counted('signals'),
    deliveries: () =>
      all.all().map((row) => ({
        seq: Number(row['seq']),
        deliveryId: String(row['delivery_id']),
        state: Number(row['state']),
        hasBody: row['has_body'] === 1,
      })),
    isWriting: () => {
      try {
        db.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (error instanceof Error && error.message.includes('locked')) return true;
        throw error;
      }
      db.exec('ROLLBACK');
      return false;
    },
    close: () => db.close(),
  };
}

const DAY_MS = 86_400_000;

/** What retention is to erase at the next start. */
export interface Aged {
  /** Deliveries up to this one are to go with their signals. */
  readonly goneUpTo: number;
  /** Deliveries up to this one are to lose their bodies. */
  readonly emptyUpTo: number;
}

/** Makes deliveries of a stopped platform old: the first ones of those that are mapped. */
export function ageDeliveries(file: string, before: Aged): Aged {
  const db = new DatabaseSync(file);
  try {
    const open = db.prepare(`SELECT min(seq) AS seq FROM deliveries WHERE state <> ${STATES.done}`).get()?.['seq'];
    const last = Number(db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM deliveries').get()?.['seq']);
    const emptyUpTo = Math.max(before.emptyUpTo, typeof open === 'number' ? open - 1 : last);
    const goneUpTo = Math.max(before.goneUpTo, Math.floor(emptyUpTo / 2));
    const age = db.prepare('UPDATE deliveries SET received_at = received_at - ? WHERE seq > ? AND seq <= ?');
    age.run(8 * DAY_MS, before.emptyUpTo, emptyUpTo);
    age.run(100 * DAY_MS, before.goneUpTo, goneUpTo);
    return { goneUpTo, emptyUpTo };
  } finally {
    db.close();
  }
}
