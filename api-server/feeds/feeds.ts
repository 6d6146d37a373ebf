import { LastOrbisets } from '../../adapters/catalog/last-orbisets.ts';
import { ValidOrbs } from '../../adapters/catalog/valid-orbs.ts';
import { createController, type Controller, type ControllerOptions } from '../../adapters/kube/controller.ts';
import { enqueueRemoved } from '../../adapters/kube/enqueue-removed.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { RuntimeMetrics } from '../../adapters/kube/kube-metrics.ts';
import { InitialSync } from '../../adapters/kube/initial-sync.ts';
import { createOwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Change, KubeClient, Reflector, WorkQueue } from '../../adapters/kube/port.ts';
import type { Reflect } from '../../adapters/kube/reflect.ts';
import { createStatusWriter } from '../../adapters/kube/status-writer.ts';
import { createWorkQueue } from '../../adapters/kube/work-queue.ts';
import { createLedgerLease, type LedgerLease } from '../../adapters/ledger/ledger-lease.ts';
import { done } from '../../core/reconcile/outcome.ts';
import type { Platform } from '../process/platform.ts';
import type { ReadingClient, ReflectSecrets } from '../vault/secret-watch.ts';
import { createVaultReporter, type VaultReporterDeps } from '../vault/vault-reporter.ts';
import { VaultWatches } from '../vault/vault-watches.ts';
import { followSources } from '../ingestion/follow-sources.ts';
import { CANARY } from '../status/probes/probe.ts';
import { followPolicies } from '../policy/follow-policies.ts';
import { createPublicationFeed } from '../publications/publication-feed.ts';
import { publicationChanged } from './kill-feeds.ts';
import { OrbFeed, withoutConditions, type OrbFeedDeps } from './orb-feed.ts';
import { OrbisetFeed, type OrbisetFeedDeps } from './orbiset-feed.ts';
import { createSwapTasks, type SwapTasks, type SwapTasksDeps } from './swap-tasks.ts';
import { createUrlSecrets, type UrlSecrets } from './url-secrets.ts';

export interface FeedOptions
  extends Pick<SwapTasksDeps, 'identity' | 'random' | 'recorder' | 'evaluator'>, Pick<OrbFeedDeps, 'compile'> {
  /** For statuses, for OrbPublications, and for the LISTs and watches of Secrets. */
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'create'> & ReadingClient;
  readonly metrics: RuntimeMetrics;
  readonly reflect: Reflect;
  readonly reflectSecrets: ReflectSecrets;
  /** False: Secrets are watched singly, however many are bound. */
  readonly mayWatchNamespaces: boolean;
  /** Most Secrets that are watched singly; default 200. */
  readonly watchLimit?: number;
  /** Vault entries that do not come from a Secret. */
  readonly extra?: OrbisetFeedDeps['extra'];
}

/** Keeps the catalogue of a process equal to the objects of a cluster or of the local object store. */
export interface Feeds {
  /** Caches of this process, by name. */
  readonly reflectors: Readonly<Record<string, Reflector>>;
  /**
   * Names of feeds that are not taken over yet. Empty when the catalogue holds everything that existed at the start.
   */
  readonly missing: () => readonly string[];
  /** The extra vault entries of an Orbiset changed. @param key `namespace/name` */
  readonly vaultChanged: (key: string) => void;
  /** Follows the objects until the signal is aborted. Never rejects. Call it once. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const FEED_WORKERS = 32;
const REPORT_WORKERS = 4;

interface Parts extends FeedOptions {
  readonly platform: Platform;
}

/** Enqueues an object that changed. Objects that existed at the start come after the changed ones. */
const into =
  (queue: WorkQueue): ((change: Change) => void) =>
  ({ key, initial }) =>
    queue.add(key, { lane: initial ? 'low' : 'high' });

type FeedController = Pick<ControllerOptions, 'name' | 'kind' | 'queue' | 'reconcile' | 'workers'>;

function controllerOf({ metrics, random, platform }: Parts, feeding: FeedController): Controller {
  const { clock, log } = platform;
  return createController({ ...feeding, clock, random, logger: log.logger, metrics });
}

const queueOf = ({ metrics, platform }: Parts, name: string): WorkQueue =>
  createWorkQueue({ name, clock: platform.clock, metrics });

/** A kind that is taken over into the catalogue. */
interface Feed {
  readonly reflector: Reflector;
  readonly controller: Controller;
  readonly pass: InitialSync;
}

interface OrbParts extends Feed {
  readonly holder: SwapTasks;
}

function createOrbFeed(parts: Parts, valid: ValidOrbs): OrbParts {
  const { logger } = parts.platform.log;
  const feed = new OrbFeed({ valid, logger, compile: parts.compile });
  const queue = queueOf(parts, 'orb-feed');
  const reflector = parts.reflect({ kind: KINDS.orb, transform: withoutConditions, onChange: into(queue) });
  const pass = new InitialSync(reflector);
  const holder = createSwapTasks({ ...parts, feed, store: reflector.store });
  void enqueueRemoved(reflector, queue, () => [...valid.lastValid.keys()]);
  const reconcile: FeedController['reconcile'] = async (key) => {
    await feed.apply(key, reflector.store.get(key)).finally(() => pass.took(key));
    holder.observe(key);
    return done;
  };
  const controller = controllerOf(parts, { name: 'orb-feed', kind: 'Orb', queue, reconcile, workers: FEED_WORKERS });
  return { reflector, pass, controller, holder };
}

interface OrbisetParts extends Feed {
  readonly watches: VaultWatches;
  readonly urlSecrets: UrlSecrets;
  readonly reporter: Controller;
  readonly changed: (key: string) => void;
}

function createWatches(parts: Parts, queue: WorkQueue): VaultWatches {
  const { platform, mayWatchNamespaces, client, reflectSecrets, watchLimit } = parts;
  return new VaultWatches({
    client,
    logger: platform.log.logger,
    clock: platform.clock,
    mayWatchNamespaces,
    ...(watchLimit === undefined ? {} : { limit: watchLimit }),
    reflect: reflectSecrets,
    onChange: (orbisets) => {
      for (const key of orbisets) queue.add(key, { lane: 'high' });
    },
  });
}

interface Reporting extends Pick<VaultReporterDeps, 'inUrls'> {
  readonly queue: WorkQueue;
  readonly feed: OrbisetFeed;
  readonly store: Reflector['store'];
  readonly lease: LedgerLease;
}

function createReporter(parts: Parts, { queue, feed, inUrls, store, lease }: Reporting): Controller {
  const { client, platform, random, metrics } = parts;
  const { clock, log } = platform;
  const writes = createOwnWrites({ client, kind: KINDS.orbiset, store, clock });
  const writer = createStatusWriter({ client, assertLeading: lease.assertLeading });
  return createController({
    name: 'vault-report',
    kind: 'Orbiset',
    queue,
    reconcile: createVaultReporter({ feed, inUrls, store, writes, writer, clock }),
    writes: [writes],
    keys: () => store.list().map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`),
    workers: REPORT_WORKERS,
    clock,
    random,
    logger: log.logger,
    metrics,
  });
}

interface OrbisetInputs {
  readonly last: LastOrbisets;
  readonly lease: LedgerLease;
  /** Whether every Orb is known. */
  readonly orbs: InitialSync;
  /** Secrets of a namespace may have become readable, beside those that Orbisets bind. */
  readonly nudge: (namespace: string) => void;
}

function createOrbisetFeed(parts: Parts, { last, lease, orbs, nudge }: OrbisetInputs): OrbisetParts {
  const { catalog, runtime, log } = parts.platform;
  const { logger, addRedactor, removeRedactor } = log;
  const { extra } = parts;
  const queue = queueOf(parts, 'orbiset-feed');
  const reports = queueOf(parts, 'vault-report');
  const watches = createWatches(parts, queue);
  const suspend = (orbiset: string): void => {
    const ended = runtime.inFlight.kill(orbiset, 'orbiset-suspended');
    logger.warn('the Orbiset is suspended', { orbiset, runs_ended: ended });
  };
  const onReport = (key: string): void => reports.add(key);
  const shared = { catalog, last, watches, logger, addRedactor, removeRedactor, suspend, onReport };
  const feed = new OrbisetFeed({ ...shared, ...(extra === undefined ? {} : { extra }) });
  const enqueue = into(queue);
  const reflector = parts.reflect({
    kind: KINDS.orbiset,
    onChange: (change) => {
      enqueue(change);
      // The operator writes the status after it has made the RoleBinding (operator.md A3).
      const namespace = change.key.slice(0, change.key.indexOf('/'));
      if (!change.initial) {
        watches.nudge(namespace);
        nudge(namespace);
      }
      reports.add(change.key);
    },
  });
  const pass = new InitialSync(reflector);
  void enqueueRemoved(reflector, queue, () => [...last.all.keys()].map((key) => key.replace('.', '/')));
  const reconcile: FeedController['reconcile'] = async (key) => {
    await feed.apply(key, reflector.store.get(key)).finally(() => pass.took(key));
    return done;
  };
  const { store } = reflector;
  const urlSecrets = createUrlSecrets(parts.platform, { queue: reports, feed, orbs });
  const { inUrls } = urlSecrets;
  return {
    reflector,
    pass,
    watches,
    urlSecrets,
    controller: controllerOf(parts, { name: 'orbiset-feed', kind: 'Orbiset', queue, reconcile, workers: FEED_WORKERS }),
    reporter: createReporter(parts, { queue: reports, feed, inUrls, store, lease }),
    changed: (key) => queue.add(key, { lane: 'high' }),
  };
}

/** Makes every feed. Before `run`, it reads only the ledger. */
export async function createFeeds(platform: Platform, options: FeedOptions): Promise<Feeds> {
  const parts: Parts = { ...options, platform };
  const { ledger, catalog, metrics, clock, log, exceptions, runtime, dialer } = platform;
  const allowedOrigins = exceptions.map(({ origin }) => origin);
  const valid = new ValidOrbs({ catalog, ledger, metrics, allowedOrigins });
  const last = new LastOrbisets(ledger);
  await Promise.all([valid.open(), last.open()]);
  const { logger } = log;
  const lease = createLedgerLease({ ledger, name: 'status-writer', holder: options.identity, clock, logger });
  const orbs = createOrbFeed(parts, valid);
  const canary = `${runtime.settings.platformNamespace}/${CANARY.source}`;
  const sources = followSources({ ...options, ...platform.ingestion, canary, clock, logger, lease });
  const orbisets = createOrbisetFeed(parts, { last, lease, orbs: orbs.pass, nudge: sources.nudge });
  const publications = createPublicationFeed({
    ...options,
    platform,
    lease,
    orbsKnown: orbs.pass.over,
    onChange: ({ key, after }) => publicationChanged({ switches: runtime.switches, dialer, logger }, key, after),
  });
  const policies = followPolicies({
    ...options,
    policies: platform.policies,
    platformNamespace: runtime.settings.platformNamespace,
    clock,
    logger,
    lease,
  });
  const missing = (): readonly string[] => [
    ...(orbs.pass.isOver && orbisets.pass.isOver ? [] : ['resources']),
    ...(policies.isRead() ? [] : ['policies']),
    ...(orbisets.watches.isSettled ? [] : ['vaults']),
    ...(sources.isRead() ? [] : ['signal-sources']),
  ];
  const run = async (signal: AbortSignal): Promise<void> => {
    const working = [orbs.controller, orbisets.controller].map((controller) => controller.run(signal));
    const leading = lease.run(signal, async (scope) => {
      await Promise.all([
        orbisets.reporter.run(scope),
        publications.lead(scope),
        policies.lead(scope),
        sources.lead(scope),
      ]);
    });
    await Promise.all([...working, policies.run(signal), sources.run(signal), leading, orbs.holder.run(signal)]);
    orbisets.watches.stop();
    orbisets.urlSecrets.stop();
  };
  return {
    reflectors: {
      policies: policies.reflector,
      sources: sources.reflector,
      orbs: orbs.reflector,
      orbisets: orbisets.reflector,
      publications: publications.reflector,
    },
    missing,
    vaultChanged: orbisets.changed,
    run,
  };
}
