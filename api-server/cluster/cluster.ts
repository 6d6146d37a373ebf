import { LastOrbisets } from '../../adapters/catalog/last-orbisets.ts';
import { ValidOrbs } from '../../adapters/catalog/valid-orbs.ts';
import type { SecretApiKeys } from '../../adapters/api-keys/secret-api-keys.ts';
import { createController, type Controller, type ControllerOptions } from '../../adapters/kube/controller.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { RuntimeMetrics } from '../../adapters/kube/kube-metrics.ts';
import { createOwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Change, Kind, KubeClient, Reflector, Selection, WorkQueue } from '../../adapters/kube/port.ts';
import { createReflector } from '../../adapters/kube/reflector.ts';
import { createStatusWriter } from '../../adapters/kube/status-writer.ts';
import { createWorkQueue } from '../../adapters/kube/work-queue.ts';
import { done } from '../../core/reconcile/outcome.ts';
import type { Platform } from '../process/platform.ts';
import { createClusterHolder, type ClusterHolder } from './cluster-holder.ts';
import { FirstPass } from './first-pass.ts';
import { EGRESS_SWITCH, egressSwitchChanged, publicationChanged } from './kill-feeds.ts';
import { createLedgerLease, type LedgerLease } from './ledger-lease.ts';
import { OrbFeed } from './orb-feed.ts';
import { OrbisetFeed } from './orbiset-feed.ts';
import { createVaultReporter } from './vault-reporter.ts';
import { VaultWatches } from './vault-watches.ts';

export interface ClusterOptions {
  readonly client: KubeClient;
  readonly metrics: RuntimeMetrics;
  /** [0, 1) */
  readonly random: () => number;
  /** Of the platform: API keys, kill switch, shared Orbs. */
  readonly namespace: string;
  readonly apiKeys: SecretApiKeys;
  /** `tenant`: Secrets are never watched by namespace. */
  readonly vaultMode: 'operator' | 'tenant';
  /** Of this process among replicas. */
  readonly identity: string;
}

/** What an API process keeps of a cluster. */
export interface Cluster {
  /** What is not filled yet; empty from the first time that everything was. */
  readonly missing: () => readonly string[];
  /** Whether API keys are as the cluster has them; false while it can't be asked. */
  readonly isCurrent: () => boolean;
  /** Follows the cluster until the signal is aborted. Never rejects. Once. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const API_KEYS = 'orbs.dev/api-key=true';
const FEED_WORKERS = 32;
const REPORT_WORKERS = 4;
/** Bookmarks come every 60 s on a quiet watch: longer silence says nothing of a revoked key. */
const CURRENT_MS = 90_000;

interface Parts extends ClusterOptions {
  readonly platform: Platform;
}

function reflect(
  { client, metrics, random, platform }: Parts,
  about: { readonly kind: Kind; readonly selection?: Selection; readonly onChange: (change: Change) => void },
): Reflector {
  const { clock, log } = platform;
  return createReflector({ selection: {}, ...about, client, clock, random, logger: log.logger, metrics });
}

const named = (name: string): string => `metadata.name=${name}`;

/** Enqueues what changed; what was there at the start comes after it. */
const into =
  (queue: WorkQueue): ((change: Change) => void) =>
  ({ key, initial }) =>
    queue.add(key, { lane: initial ? 'low' : 'high' });

/** What the ledger keeps of objects that were deleted while nobody looked is work, too. */
async function alsoGone({ synced, store }: Reflector, queue: WorkQueue, kept: () => Iterable<string>): Promise<void> {
  await synced;
  for (const key of kept()) if (store.get(key) === undefined) queue.add(key, { lane: 'low' });
}

type Feeding = Pick<ControllerOptions, 'name' | 'kind' | 'queue' | 'reconcile' | 'workers'>;

function controllerOf({ metrics, random, platform }: Parts, feeding: Feeding): Controller {
  const { clock, log } = platform;
  return createController({ ...feeding, clock, random, logger: log.logger, metrics });
}

const queueOf = ({ metrics, platform }: Parts, name: string): WorkQueue =>
  createWorkQueue({ name, clock: platform.clock, metrics });

/** A kind that is taken over into the catalogue. */
interface Feed {
  readonly reflector: Reflector;
  readonly controller: Controller;
  readonly pass: FirstPass;
}

interface OrbParts extends Feed {
  readonly holder: ClusterHolder;
}

function createOrbFeed(parts: Parts, valid: ValidOrbs): OrbParts {
  const { logger } = parts.platform.log;
  const allowedOrigins = parts.platform.exceptions.map(({ origin }) => origin);
  const feed = new OrbFeed({ valid, logger, allowedOrigins });
  const queue = queueOf(parts, 'orb-feed');
  const reflector = reflect(parts, { kind: KINDS.orb, onChange: into(queue) });
  const pass = new FirstPass(reflector);
  const holder = createClusterHolder({ ...parts, feed, store: reflector.store });
  void alsoGone(reflector, queue, () => [...valid.lastValid.keys()]);
  const reconcile: Feeding['reconcile'] = async (key) => {
    await feed.apply(key, reflector.store.get(key)).finally(() => pass.took(key));
    holder.observe(key);
    return done;
  };
  const controller = controllerOf(parts, { name: 'orb-feed', kind: 'Orb', queue, reconcile, workers: FEED_WORKERS });
  return { reflector, pass, controller, holder };
}

interface OrbisetParts extends Feed {
  readonly watches: VaultWatches;
  readonly reporter: Controller;
}

function createWatches(parts: Parts, queue: WorkQueue): VaultWatches {
  const { platform, vaultMode, client, metrics, random } = parts;
  const { logger } = platform.log;
  const { clock } = platform;
  return new VaultWatches({
    client,
    logger,
    clock,
    mayWatchNamespaces: vaultMode === 'operator',
    // One gauge can't tell the sizes of 200 caches of one object each.
    reflect: (about) =>
      createReflector({
        ...about,
        kind: KINDS.secret,
        clock,
        random,
        logger,
        metrics: { ...metrics, cache: () => undefined },
      }),
    onChange: (orbisets) => {
      for (const key of orbisets) queue.add(key, { lane: 'high' });
    },
  });
}

function createOrbisetFeed(parts: Parts, last: LastOrbisets, lease: LedgerLease): OrbisetParts {
  const { platform, client } = parts;
  const { catalog, clock, runtime } = platform;
  const { logger, addRedactor, removeRedactor } = platform.log;
  const queue = queueOf(parts, 'orbiset-feed');
  const reports = queueOf(parts, 'vault-report');
  const watches = createWatches(parts, queue);
  const suspend = (orbiset: string): void => {
    const ended = runtime.inFlight.kill(orbiset, 'orbiset-suspended');
    logger.warn('the Orbiset is suspended', { orbiset, runs_ended: ended });
  };
  const onReport = (key: string): void => reports.add(key);
  const feed = new OrbisetFeed({ catalog, last, watches, logger, addRedactor, removeRedactor, suspend, onReport });
  const enqueue = into(queue);
  const reflector = reflect(parts, {
    kind: KINDS.orbiset,
    onChange: (change) => {
      enqueue(change);
      // The operator writes the status after it has made the RoleBinding (operator.md A3).
      if (!change.initial) watches.nudge(change.key.slice(0, change.key.indexOf('/')));
      reports.add(change.key);
    },
  });
  const pass = new FirstPass(reflector);
  void alsoGone(reflector, queue, () => [...last.all.keys()].map((key) => key.replace('.', '/')));
  const reconcile: Feeding['reconcile'] = async (key) => {
    await feed.apply(key, reflector.store.get(key)).finally(() => pass.took(key));
    return done;
  };
  const { store } = reflector;
  const writes = createOwnWrites({ client, kind: KINDS.orbiset, store, clock });
  const writer = createStatusWriter({ client, assertLeading: lease.assertLeading });
  const report = createVaultReporter({ feed, store, writes, writer, clock });
  return {
    reflector,
    pass,
    watches,
    controller: controllerOf(parts, { name: 'orbiset-feed', kind: 'Orbiset', queue, reconcile, workers: FEED_WORKERS }),
    reporter: createController({
      name: 'vault-report',
      kind: 'Orbiset',
      queue: reports,
      reconcile: report,
      writes: [writes],
      keys: () => store.list().map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`),
      workers: REPORT_WORKERS,
      clock,
      random: parts.random,
      logger,
      metrics: parts.metrics,
    }),
  };
}

/** Kill switches and keys: in effect when the change is seen, without a queue. */
function createSwitches(parts: Parts): Readonly<Record<'publications' | 'egress-switch' | 'api-keys', Reflector>> {
  const { namespace, apiKeys, platform } = parts;
  const { runtime, dialer, log } = platform;
  const deps = { switches: runtime.switches, dialer, logger: log.logger };
  return {
    publications: reflect(parts, {
      kind: KINDS.publication,
      onChange: ({ key, after }) => publicationChanged(deps, key, after),
    }),
    'egress-switch': reflect(parts, {
      kind: KINDS.configMap,
      selection: { namespace, fieldSelector: named(EGRESS_SWITCH) },
      onChange: ({ after }) => egressSwitchChanged(deps, after),
    }),
    'api-keys': reflect(parts, {
      kind: KINDS.secret,
      selection: { namespace, labelSelector: API_KEYS },
      onChange: ({ key, after }) => (after === undefined ? apiKeys.remove(key) : apiKeys.put(key, after)),
    }),
  };
}

/** Makes everything that keeps a process equal to its cluster; nothing is asked of the cluster yet. */
export async function createCluster(platform: Platform, options: ClusterOptions): Promise<Cluster> {
  const parts: Parts = { ...options, platform };
  const { ledger, catalog, metrics, clock, log, exceptions } = platform;
  const allowedOrigins = exceptions.map(({ origin }) => origin);
  const valid = new ValidOrbs({ catalog, ledger, metrics, allowedOrigins });
  const last = new LastOrbisets(ledger);
  await Promise.all([valid.open(), last.open()]);
  const lease = createLedgerLease({
    ledger,
    name: 'status-writer',
    holder: options.identity,
    clock,
    logger: log.logger,
  });
  const orbs = createOrbFeed(parts, valid);
  const orbisets = createOrbisetFeed(parts, last, lease);
  const switches = createSwitches(parts);
  const reflectors = { orbs: orbs.reflector, orbisets: orbisets.reflector, ...switches };
  let wasReady = false;
  const missing = (): readonly string[] => {
    if (wasReady) return [];
    const caches = Object.entries(reflectors).flatMap(([name, { hasSynced }]) => (hasSynced() ? [] : [name]));
    const isTaken = orbs.pass.isOver && orbisets.pass.isOver;
    const left = [...caches, ...(isTaken ? [] : ['resources']), ...(orbisets.watches.isSettled ? [] : ['vaults'])];
    wasReady = left.length === 0;
    return left;
  };
  const isCurrent = (): boolean => {
    const keys = switches['api-keys'];
    return keys.hasSynced() && keys.state() !== 'backoff' && clock.monotonic() - keys.lastContactMs() < CURRENT_MS;
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    const reflecting = Object.values(reflectors).map((reflector) => reflector.run(signal));
    const working = [orbs.controller, orbisets.controller].map((controller) => controller.run(signal));
    const leading = lease.run(signal, (scope) => orbisets.reporter.run(scope));
    await Promise.all([...reflecting, ...working, leading, orbs.holder.run(signal)]);
    orbisets.watches.stop();
  };
  return { missing, isCurrent, run };
}
