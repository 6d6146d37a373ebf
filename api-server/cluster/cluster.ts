import type { SecretApiKeys } from '../../adapters/api-keys/secret-api-keys.ts';
import { createEventRecorder } from '../../adapters/kube/event-recorder.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { RuntimeMetrics } from '../../adapters/kube/kube-metrics.ts';
import type { KubeClient, Reflector } from '../../adapters/kube/port.ts';
import type { Reflect } from '../../adapters/kube/reflect.ts';
import { createReflector } from '../../adapters/kube/reflector.ts';
import { compileStored } from '../../core/orb/plan-manifest.ts';
import { createFeeds, type FeedOptions } from '../feeds/feeds.ts';
import { EGRESS_SWITCH, egressSwitchChanged } from '../feeds/kill-feeds.ts';
import type { Platform } from '../process/platform.ts';

export interface ClusterOptions {
  readonly client: KubeClient;
  readonly metrics: RuntimeMetrics;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Namespace of the platform: API keys, kill switch, shared Orbs. */
  readonly namespace: string;
  readonly apiKeys: SecretApiKeys;
  /** `tenant`: Secrets are never watched by namespace. */
  readonly vaultMode: 'operator' | 'tenant';
  /** Name of this process among its replicas. */
  readonly identity: string;
}

/** The connection of an API process to its cluster. */
export interface Cluster {
  /** Caches that are not filled yet. After everything was filled once, it stays empty. */
  readonly missing: () => readonly string[];
  /** Whether API keys are as the cluster has them; false while the cluster can't be reached. */
  readonly isCurrent: () => boolean;
  /** Follows the cluster until the signal is aborted. Never rejects. Call it once. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const API_KEYS = 'orbs.dev/api-key=true';
/** A quiet watch sends a bookmark every 60 s. After a longer silence, a revoked key could still look valid. */
const CURRENT_MS = 90_000;

const named = (name: string): string => `metadata.name=${name}`;

/** Options of the feeds that fill the catalogue from a cluster. */
function feedOptions(
  platform: Platform,
  { client, metrics, random, vaultMode, identity }: ClusterOptions,
  reflect: Reflect,
): FeedOptions {
  const { clock, log, version, exceptions } = platform;
  const { logger } = log;
  const reporting = { reportingController: 'orbs.dev/api', reportingInstance: identity };
  const allowedOrigins = exceptions.map(({ origin }) => origin);
  return {
    client,
    metrics,
    random,
    identity,
    reflect,
    // A single gauge can't show the sizes of 200 caches of one object each.
    reflectSecrets: (about) => {
      const uncounted = { ...metrics, cache: (): void => undefined };
      return createReflector({ ...about, kind: KINDS.secret, clock, random, logger, metrics: uncounted });
    },
    mayWatchNamespaces: vaultMode === 'operator',
    recorder: createEventRecorder({ client, clock, logger, metrics, ...reporting }),
    // The status names the epoch of the operator's lease, not its holder.
    evaluator: () => ({ id: `orb-operator/${version}`, instance: 'orb-operator' }),
    compile: (orb) => compileStored(orb, allowedOrigins),
  };
}

/** Kill switch and keys: a change takes effect when it is seen, without a queue. */
function createSwitches(
  { log, runtime, dialer }: Platform,
  { namespace, apiKeys }: ClusterOptions,
  reflect: Reflect,
): Readonly<Record<'egress-switch' | 'api-keys', Reflector>> {
  const deps = { switches: runtime.switches, dialer, logger: log.logger };
  return {
    'egress-switch': reflect({
      kind: KINDS.configMap,
      selection: { namespace, fieldSelector: named(EGRESS_SWITCH) },
      onChange: ({ after }) => egressSwitchChanged(deps, after),
    }),
    'api-keys': reflect({
      kind: KINDS.secret,
      selection: { namespace, labelSelector: API_KEYS },
      onChange: ({ key, after }) => (after === undefined ? apiKeys.remove(key) : apiKeys.put(key, after)),
    }),
  };
}

/** Makes everything that keeps a process equal to its cluster. It sends nothing to the cluster yet. */
export async function createCluster(platform: Platform, options: ClusterOptions): Promise<Cluster> {
  const { client, metrics, random } = options;
  const { clock, log } = platform;
  const reflect: Reflect = (about) =>
    createReflector({ selection: {}, ...about, client, clock, random, logger: log.logger, metrics });
  const feeds = await createFeeds(platform, feedOptions(platform, options, reflect));
  const switches = createSwitches(platform, options, reflect);
  const reflectors = { ...feeds.reflectors, ...switches };
  let wasReady = false;
  const missing = (): readonly string[] => {
    if (wasReady) return [];
    const caches = Object.entries(reflectors).flatMap(([name, { hasSynced }]) => (hasSynced() ? [] : [name]));
    const left = [...caches, ...feeds.missing()];
    wasReady = left.length === 0;
    return left;
  };
  const isCurrent = (): boolean => {
    const keys = switches['api-keys'];
    return keys.hasSynced() && keys.state() !== 'backoff' && clock.monotonic() - keys.lastContactMs() < CURRENT_MS;
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    const reflecting = Object.values(reflectors).map((reflector) => reflector.run(signal));
    await Promise.all([...reflecting, feeds.run(signal)]);
  };
  return { missing, isCurrent, run };
}
