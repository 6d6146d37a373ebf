import { Counter, Histogram, type Registry } from 'prom-client';
import type { SourceType } from '../../core/ingestion/source/scheme-of.ts';
import type { DeliveryKey } from './delivery-key.ts';

/** Metrics of receiving (ingestion.md §6). No label holds a source, a path or anything that a sender chose. */
export interface ReceiveMetrics {
  /** A request was answered. @param type undefined: there is no such source */
  readonly answered: (type: SourceType | undefined, status: number) => void;
  /** A delivery was durable, or known, after so many seconds. */
  readonly acknowledged: (type: SourceType, seconds: number) => void;
  readonly duplicate: (type: SourceType, by: DeliveryKey['by']) => void;
  /** Another secret than the first one of the source matched. */
  readonly oldSecret: () => void;
}

// The strictest vendors wait one second; 100 ms is the budget.
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createReceiveMetrics(registry: Registry): ReceiveMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'orb_ingest_requests_total',
    help: 'Answered requests to signal sources, by type of the source and status.',
    labelNames: ['type', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'orb_ingest_ack_duration_seconds',
    help: 'From the headers of a delivery to its acknowledgement.',
    labelNames: ['type'],
    buckets: SECONDS,
    registers,
  });
  const duplicates = new Counter({
    name: 'orb_ingest_duplicates_total',
    help: 'Deliveries that came again, by what they were known by: a signed id, or the hash of the body.',
    labelNames: ['type', 'key'],
    registers,
  });
  const oldSecrets = new Counter({
    name: 'orb_ingest_old_secret_total',
    help: 'Deliveries that another secret than the first one of their source verified.',
    registers,
  });
  return {
    answered: (type, status) => requests.inc({ type: type ?? 'unknown', code: String(status) }),
    acknowledged: (type, duration) => seconds.observe({ type }, duration),
    duplicate: (type, by) => duplicates.inc({ type, key: by }),
    oldSecret: () => oldSecrets.inc(),
  };
}
