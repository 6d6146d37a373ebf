import type { Registry } from 'prom-client';
import { createLedgerLease } from '../../../adapters/ledger/ledger-lease.ts';
import type { Ledger } from '../../../adapters/ledger/port.ts';
import type { SharedCount } from '../../../adapters/threads/shared-count.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { PublishedVersions } from '../../../core/run/published.ts';
import type { SignalSource } from '../source.ts';
import type { CountDeps } from './count-receipts.ts';
import { settleDue } from './due-incidents.ts';
import { IngestWorker } from './ingest-worker.ts';
import type { Catalog } from '../../../adapters/catalog/port.ts';
import { KnownOrbs } from './known-orbs.ts';
import { MapRunner, type StartMappingThread } from '../mapping-thread/map-runner.ts';
import { mapBatch, type BatchDeps } from './map-batch.ts';
import { MapDesk } from './map-desk.ts';
import { IngestRetention } from './retention.ts';
import { Slices } from './slices.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

const LEASE = 'ingest-worker';

export interface IngestWorkerParts {
  readonly ledger: Ledger;
  /** Path of its file, for the thread that maps. */
  readonly ledgerFile: string;
  readonly catalog: Pick<Catalog, 'orb' | 'orbisets' | 'all'>;
  /** Counts receipts in another thread. */
  readonly count: CountDeps['count'];
  readonly published: Pick<PublishedVersions, 'version'>;
  /** Runs that were admitted: mapping gives way to them. */
  readonly runs: SharedCount;
  readonly platformNamespace: string;
  /** The source of a key `namespace/name`, as it receives. */
  readonly sourceOf: (key: string) => SignalSource | undefined;
  /** Every source that receives. */
  readonly sources: () => Iterable<SignalSource>;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly registry: Registry;
  /** Name of this process among its replicas. */
  readonly holder: string;
  /** Whether every source and Orb was read. */
  readonly isReady: () => boolean;
  /** Default: a thread of its own. */
  readonly startThread?: StartMappingThread;
}

/**
 * A deleted source maps what it accepted before: its last form stays in memory. After a restart its deliveries are dead
 * letters, which a source of the same name can take up again.
 */
function rememberSources(sourceOf: IngestWorkerParts['sourceOf']): IngestWorkerParts['sourceOf'] {
  const last = new Map<string, SignalSource>();
  return (key) => {
    const source = sourceOf(key);
    if (source !== undefined) last.set(key, source);
    return source ?? last.get(key);
  };
}

/** The worker of one process. Nothing is done before it runs. */
export function createIngestWorker(parts: IngestWorkerParts): IngestWorker {
  const { ledger, catalog, published, platformNamespace, clock, random, logger, registry, holder, isReady } = parts;
  const now = (): number => Math.floor(clock.now());
  const orbs = new KnownOrbs({ catalog, published, platformNamespace });
  const mapper = new MapRunner({
    file: parts.ledgerFile,
    platformNamespace,
    orbs,
    clock,
    logger,
    runs: parts.runs,
    ...(parts.startThread === undefined ? {} : { start: parts.startThread }),
  });
  const deps: BatchDeps = {
    ledger,
    sourceOf: rememberSources(parts.sourceOf),
    mapper,
    mapperHere: new MapDesk({ ledger, orbs, random, pauses: new Slices(clock) }),
    suspects: { untilSeq: 0 },
    now,
    logger,
    died: (reason) => died(reason),
  };
  const retention = new IngestRetention({ ledger, sources: parts.sources, now, logger });
  const worker = new IngestWorker({
    lease: createLedgerLease({ ledger, name: LEASE, holder, clock, logger }),
    leaseName: LEASE,
    clock,
    logger,
    isReady,
    mapBatch: (lease) => mapBatch(deps, lease),
    settleDue: (lease) => settleDue({ ...deps, ledger, orbs, published, random, count: parts.count }, lease),
    sometimes: () => retention.run(),
    close: mapper.close,
  });
  const died = createWorkerMetrics(registry, { ledger, now, successAge: worker.successAge });
  return worker;
}
