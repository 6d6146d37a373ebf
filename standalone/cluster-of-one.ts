import { randomUUID } from 'node:crypto';
import { createKubeMetrics } from '../adapters/kube/kube-metrics.ts';
import { KINDS } from '../adapters/kube/kinds.ts';
import type { AppliedObject, Kind } from '../adapters/kube/port.ts';
import { openObjectStore, type ObjectStore } from '../adapters/object-store/object-store.ts';
import { watchFolders } from '../adapters/manifest-folder/watch-folder.ts';
import { until } from '../adapters/time/until.ts';
import { createFeeds, type FeedOptions, type Feeds } from '../api-server/feeds/feeds.ts';
import type { Platform } from '../api-server/process/platform.ts';
import { createPolicyObjects } from '../api-server/policy/policy-objects.ts';
import type { PolicyObjects } from '../api-server/policy/port.ts';
import { createObjectPins } from '../api-server/providers/object-pins.ts';
import type { EvaluationSource, PinStore } from '../api-server/providers/port.ts';
import { createCompileOnce } from '../core/orb/compile-once.ts';
import { FILE_PINS } from './files/file-writer.ts';
import { FolderFeed } from './files/folder-feed.ts';
import { VaultEntries } from './files/vault-entries.ts';
import { createLocalOperator, type LocalOperator, type LocalOperatorOptions } from './local-operator.ts';
import { createLogRecorder } from './log-recorder.ts';
import { takeOverOlderRows } from './take-over.ts';

export interface ClusterOfOneOptions {
  /** Folder of manifests, Orbs, Orbisets and Secrets. */
  readonly resources: string;
  /** Folder of the files that `orb secrets set` writes. */
  readonly vault: string;
  readonly platformNamespace: string;
  /** Objects that are in no file. */
  readonly own: readonly (readonly [Kind, AppliedObject])[];
}

/** Objects, controllers and feeds of one process, over files and the ledger (operator.md A16). */
export interface ClusterOfOne {
  readonly policyObjects: PolicyObjects;
  readonly pins: PinStore;
  readonly lastEvaluation: EvaluationSource;
  readonly slices: LocalOperator['slices'];
  readonly stop: () => Promise<void>;
}

// Only one process uses the ledger, so a lease of a killed process is taken over at once.
const IDENTITY = 'standalone';
/** Field manager of the objects that are in no file. */
const OWN = 'orb-standalone';

/** Objects that are in no file are applied first, so that they are there when the files are. */
async function openStore({ ledger, clock, log }: Platform, own: ClusterOfOneOptions['own']): Promise<ObjectStore> {
  const { logger } = log;
  const store = await openObjectStore({ ledger, clock, logger, newUid: randomUUID });
  await takeOverOlderRows({ ledger, client: store.client, clock, logger });
  const { signal } = new AbortController();
  for (const [kind, object] of own) await store.client.apply(kind, object, { fieldManager: OWN, force: true }, signal);
  return store;
}

/** Resolves when the catalogue contains every existing object. */
async function takenOver({ clock }: Platform, { missing }: Feeds): Promise<void> {
  await until(() => missing().length === 0, clock, { everyMs: 1 }, new AbortController().signal);
}

/** Options that feed this process's catalogue from the local store. */
function feedOptions(
  { log, version, exceptions }: Platform,
  { client, reflect }: ObjectStore,
): Omit<FeedOptions, 'metrics' | 'extra'> & Pick<LocalOperatorOptions, 'compiled' | 'recorder'> {
  const compiled = createCompileOnce(exceptions.map(({ origin }) => origin));
  return {
    client,
    reflect,
    reflectSecrets: (about) => reflect({ ...about, kind: KINDS.secret }),
    mayWatchNamespaces: false,
    random: Math.random,
    recorder: createLogRecorder(log.logger),
    identity: IDENTITY,
    evaluator: () => ({ id: `orb-platform/${version}`, instance: IDENTITY }),
    compile: compiled.compile,
    compiled,
  };
}

/**
 * Opens the store, applies the files once, and starts the parts that follow them. When it returns, everything valid is
 * in the catalogue; conditions and failover state follow.
 * @throws LedgerError
 */
export async function openClusterOfOne(platform: Platform, options: ClusterOfOneOptions): Promise<ClusterOfOne> {
  const { clock, log, metrics: process } = platform;
  const { logger } = log;
  const { resources, vault, platformNamespace } = options;
  const store = await openStore(platform, options.own);
  const metrics = createKubeMetrics(process.registry, { clock });
  const vaults = new VaultEntries({ folder: vault, logger, onChange: (key) => feeds.vaultChanged(key) });
  const { compiled, ...feeding } = feedOptions(platform, store);
  const feeds: Feeds = await createFeeds(platform, { ...feeding, metrics, extra: vaults.of });
  const folder = new FolderFeed({
    folder: resources,
    client: store.client,
    compiled,
    clock,
    logger,
    platformNamespace,
    onInvalid: (sources) => platform.catalog.setInvalid('files', sources),
  });
  const scan = async (): Promise<void> => {
    await vaults.scan();
    await folder.scan();
  };
  await scan();
  const stopping = new AbortController();
  const parts = [...Object.values(feeds.reflectors), feeds];
  const running = parts.map((part) => part.run(stopping.signal));
  await takenOver(platform, feeds);
  const operator = createLocalOperator({ ...feeding, platform, store, metrics, compiled, platformNamespace });
  running.push(operator.run(stopping.signal));
  const unwatch = watchFolders([resources, vault], scan);
  return {
    policyObjects: createPolicyObjects({ client: store.client, clock }),
    pins: createObjectPins({ client: store.client, clock, writesOnce: FILE_PINS }),
    lastEvaluation: operator.lastEvaluation,
    slices: operator.slices,
    stop: async () => {
      await unwatch();
      stopping.abort();
      await Promise.all(running);
    },
  };
}
