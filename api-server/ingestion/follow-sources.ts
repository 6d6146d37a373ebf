import { createController, type Controller, type ControllerOptions } from '../../adapters/kube/controller.ts';
import { enqueueRemoved } from '../../adapters/kube/enqueue-removed.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { RuntimeMetrics } from '../../adapters/kube/kube-metrics.ts';
import { InitialSync } from '../../adapters/kube/initial-sync.ts';
import { createOwnWrites } from '../../adapters/kube/own-writes.ts';
import type { KubeClient, Reflector, WorkQueue } from '../../adapters/kube/port.ts';
import type { Reflect } from '../../adapters/kube/reflect.ts';
import { createStatusWriter } from '../../adapters/kube/status-writer.ts';
import { createWorkQueue } from '../../adapters/kube/work-queue.ts';
import type { LedgerLease } from '../../adapters/ledger/ledger-lease.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { keyOf } from '../../core/reconcile/kube-object.ts';
import { done } from '../../core/reconcile/outcome.ts';
import type { ReadingClient, ReflectSecrets } from '../vault/secret-watch.ts';
import { VaultWatches } from '../vault/vault-watches.ts';
import { SourceActivities, type LedgerCounts } from './source-activity.ts';
import type { SourceFeed } from './source-feed.ts';
import { createSourceReporter } from './source-reporter.ts';
import type { SourceTraffic } from './source-traffic.ts';

export interface FollowSourcesOptions {
  readonly sources: SourceFeed;
  readonly traffic: SourceTraffic;
  /** `namespace/name` of the source that the checks of the status send to. */
  readonly canary: string;
  /** Counts of deliveries in the ledger. @throws LedgerError */
  readonly counts: () => Promise<readonly LedgerCounts[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For statuses, and for the LISTs and watches of Secrets. */
  readonly client: Pick<KubeClient, 'get' | 'apply'> & ReadingClient;
  readonly metrics: RuntimeMetrics;
  readonly reflect: Reflect;
  readonly reflectSecrets: ReflectSecrets;
  /** False: Secrets are watched singly, however many sources name. */
  readonly mayWatchNamespaces: boolean;
  /** [0, 1) */
  readonly random: () => number;
  /** The lease of those who write statuses. */
  readonly lease: Pick<LedgerLease, 'assertLeading'>;
}

/** OrbSignalSources and what receives, kept equal. */
export interface SourceFollower {
  readonly reflector: Reflector;
  /** Every source that existed at the start was taken over, with its Secrets. */
  readonly isRead: () => boolean;
  /** Secrets of a namespace may have become readable. */
  readonly nudge: (namespace: string) => void;
  /** Takes sources over until the signal is aborted. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Reports while this process holds the lease. Never rejects. */
  readonly lead: (scope: AbortSignal) => Promise<void>;
}

/** Compiling takes the one thread, so more would only wait. */
const FEED_WORKERS = 2;
const REPORT_WORKERS = 2;
/** Counts in a status are at most this old, ms. */
const LOOK_MS = 300_000;

const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'));

interface Parts extends FollowSourcesOptions {
  readonly reflector: Reflector;
  readonly reports: WorkQueue;
  readonly activities: SourceActivities;
}

const controllerParts = ({
  clock,
  random,
  logger,
  metrics,
}: FollowSourcesOptions): Pick<ControllerOptions, 'kind' | 'clock' | 'random' | 'logger' | 'metrics'> => ({
  kind: 'OrbSignalSource',
  clock,
  random,
  logger,
  metrics,
});

function createReporter(parts: Parts): Controller {
  const { clock, sources, activities, client, lease, reflector, reports } = parts;
  const { store } = reflector;
  const writes = createOwnWrites({ client, kind: KINDS.orbsignalsource, store, clock });
  const writer = createStatusWriter({ client, assertLeading: lease.assertLeading });
  return createController({
    ...controllerParts(parts),
    name: 'source-report',
    queue: reports,
    reconcile: createSourceReporter({ sources, activities, store, writes, writer, clock }),
    writes: [writes],
    keys: () => store.list().map(({ metadata }) => keyOf(metadata)),
    workers: REPORT_WORKERS,
  });
}

/** Has what came from sources reported, every five minutes, until the signal is aborted. */
async function followActivity(parts: Parts, signal: AbortSignal): Promise<void> {
  const { clock, counts, activities, reflector, reports, logger } = parts;
  while (!signal.aborted) {
    try {
      const rows = await counts();
      for (const key of activities.look(reflector.store.list(), rows)) reports.add(key);
    } catch (error) {
      logger.warn('the counts of signal sources could not be read; their statuses show older ones', { error });
    }
    await clock.sleep(LOOK_MS, signal, { ref: false }).catch(() => undefined);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

interface Feed {
  readonly pass: InitialSync;
  readonly controller: Controller;
}

function createFeed(parts: Parts, queue: WorkQueue, watches: VaultWatches): Feed {
  const { sources, activities, reflector, reports } = parts;
  const pass = new InitialSync(reflector);
  void enqueueRemoved(reflector, queue, () => sources.keys());
  const secrets = {
    bind: (...binding: Parameters<VaultWatches['bind']>) => watches.bind(...binding),
    read: (...secret: Parameters<VaultWatches['read']>) => watches.read(...secret),
  };
  const controller = createController({
    ...controllerParts(parts),
    name: 'source-feed',
    queue,
    reconcile: async (key) => {
      const object = reflector.store.get(key);
      if (object === undefined) activities.forget(key);
      await sources.apply(key, object, secrets).finally(() => {
        pass.took(key);
        reports.add(key);
      });
      return done;
    },
    workers: FEED_WORKERS,
  });
  return { pass, controller };
}

/** Makes the feed of sources and their report. Nothing is read before its reflector runs. */
export function followSources(options: FollowSourcesOptions): SourceFollower {
  const { clock, metrics, logger, client, reflectSecrets, mayWatchNamespaces, traffic, canary } = options;
  const queue = createWorkQueue({ name: 'source-feed', clock, metrics });
  const reports = createWorkQueue({ name: 'source-report', clock, metrics });
  const watches = new VaultWatches({
    client,
    logger,
    clock,
    mayWatchNamespaces,
    reflect: reflectSecrets,
    onChange: (keys) => {
      for (const key of keys) queue.add(key, { lane: 'high' });
    },
  });
  const reflector = options.reflect({
    kind: KINDS.orbsignalsource,
    onChange: ({ key, initial }) => {
      queue.add(key, { lane: initial ? 'low' : 'high' });
      // The operator writes the status; the RoleBinding may be newer than the last refusal.
      if (!initial) watches.nudge(namespaceOf(key));
    },
  });
  const activities = new SourceActivities(traffic, (key) => key === canary);
  const parts: Parts = { ...options, reflector, reports, activities };
  const { pass, controller } = createFeed(parts, queue, watches);
  const reporter = createReporter(parts);
  return {
    reflector,
    isRead: () => pass.isOver && watches.isSettled && options.sources.isSettled,
    nudge: (namespace) => watches.nudge(namespace),
    run: async (signal) => {
      await controller.run(signal);
      watches.stop();
    },
    lead: async (scope) => {
      await Promise.race([pass.over, aborted(scope)]);
      if (!scope.aborted) await Promise.all([reporter.run(scope), followActivity(parts, scope)]);
    },
  };
}
