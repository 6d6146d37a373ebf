import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SecretApiKeys } from '../adapters/api-keys/secret-api-keys.ts';
import { KeysError } from '../adapters/keys/key-folder.ts';
import { loadKeys } from '../adapters/keys/load-keys.ts';
import type { PlatformKeys } from '../adapters/keys/port.ts';
import type { Connection } from '../adapters/kube/connection.ts';
import { ConnectionError, openConnection } from '../adapters/kube/connection-flags.ts';
import { createKubeClient } from '../adapters/kube/kube-client.ts';
import { createKubeMetrics } from '../adapters/kube/kube-metrics.ts';
import { createConfigMapHeadStore } from '../adapters/log-head/config-map-head-store.ts';
import type { ProcessLog } from '../adapters/telemetry/logger.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { createAuthentication } from './cluster/authenticate.ts';
import { createCluster, type Cluster } from './cluster/cluster.ts';
import { createPolicyObjects } from './policy/policy-objects.ts';
import { createObjectPins } from './providers/object-pins.ts';
import { reportFork, type ForkEventDeps } from './cluster/log-head-event.ts';
import { TokenReviewer } from './cluster/token-reviewer.ts';
import { readAuthorities } from '../adapters/egress/authorities.ts';
import { checkEgress, allowRulesOf } from './process/egress-settings.ts';
import { openPlatform, type Platform } from './process/platform.ts';
import { openPrometheusEvaluations } from './process/prometheus-evaluations.ts';
import { replayThreads } from './process/replay-threads.ts';
import { serve } from './process/serve.ts';
import { EX_CONFIG, StartError } from '../adapters/process/start-error.ts';
import { readTls } from './process/tls-files.ts';
import type { Settings } from './settings.ts';
import type { RuntimeSettings } from './runtime/runtime.ts';

/** The command line that adds an entry to the vault of an Orbiset of the cluster. */
const secretHint: RuntimeSettings['secretHint'] = ({ namespace, name }, entry, host) =>
  `orb secrets set ${entry} -n ${namespace} --orbiset ${name} --host '${host.replaceAll("'", '')}'`;

export interface StartTools {
  readonly root: string;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly log: ProcessLog;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A running API. It answers at once, and it is ready when its caches are filled. */
export interface Running {
  readonly url: string;
  readonly metricsUrl: string;
  /** Undefined: the probes have no address of their own. */
  readonly probesUrl: string | undefined;
  /** Parts that it still waits for; empty when it is ready. */
  readonly missing: () => readonly string[];
  /** Refuses new work, waits for the runs in flight, then flushes the ledger. */
  readonly stop: () => Promise<void>;
}

/** The command that creates the keys at the configured place. */
function initCommand({ keys, data, namespace, issuer = 'https://orbs.example' }: Settings): string {
  if (keys === join(data, 'keys')) return `orb ledger init --data ${data} --issuer ${issuer}`;
  return `orb ledger init --secret -n ${namespace} --issuer ${issuer}   (and mount that Secret at ${keys})`;
}

async function openKeys(settings: Settings): Promise<PlatformKeys> {
  const { keys: folder, issuer } = settings;
  const keys = await loadKeys(folder).catch((error: unknown) => {
    if (!(error instanceof KeysError) || error.code !== 'keys-missing') throw error;
    throw new StartError(`${error.message}\nMake them once: ${initCommand(settings)}`, EX_CONFIG, { cause: error });
  });
  if (issuer === undefined || keys.issuer === issuer) return keys;
  const message = `the keys in ${folder} belong to the issuer ${keys.issuer}: start with --issuer ${keys.issuer}, or with other --keys`;
  throw new StartError(message, EX_CONFIG);
}

const connect = ({ connection }: Settings): Promise<Connection> =>
  openConnection(connection).catch((error: unknown) => {
    if (!(error instanceof ConnectionError)) throw error;
    throw new StartError(error.message, EX_CONFIG, { cause: error });
  });

async function open(
  settings: Settings,
  { root, clock, log, env }: StartTools,
  apiKeys: SecretApiKeys,
): Promise<Platform> {
  await checkEgress(env, clock);
  const exceptions = allowRulesOf(settings);
  const ca = await readAuthorities(settings.egressCa);
  const keys = await openKeys(settings);
  const ledgerFolder = join(settings.data, 'ledger');
  await mkdir(ledgerFolder, { recursive: true, mode: 0o700 });
  return openPlatform(root, {
    ledgerFolder,
    clock,
    log,
    keys,
    exceptions,
    ca,
    apiKeys: apiKeys.keys,
    reputation: {
      holder: settings.identity,
      operator: { orgs: new Map(settings.orgs), firstComes: false },
      intervalMs: settings.reputationIntervalMs,
    },
    use: settings.use,
    runtime: {
      platformNamespace: settings.namespace,
      standalone: false,
      owner: settings.identity,
      secretHint,
      policyRetention: settings.policyRetention,
      policyReplayThreads: replayThreads(settings.policyReplayThreads),
    },
  });
}

/** @returns a function that waits for the report of a doubtful history; the signal ends the report */
async function followHead(deps: ForkEventDeps, signal: AbortSignal): Promise<() => Promise<void>> {
  let reporting: Promise<void> = Promise.resolve();
  await deps.platform.followHead(createConfigMapHeadStore(deps), (doubt) => {
    reporting = reportFork(doubt, deps, signal);
  });
  return () => reporting;
}

/**
 * Starts all parts in order, and answers requests when it returns.
 * @throws StartError a fault that the user can correct
 */
export async function start(settings: Settings, tools: StartTools): Promise<Running> {
  const { clock, random, log } = tools;
  const { logger } = log;
  const tls = settings.tls === undefined ? undefined : { paths: settings.tls, first: await readTls(settings.tls) };
  const connection = await connect(settings);
  let cluster: Cluster | undefined;
  const apiKeys = new SecretApiKeys({ clock, logger, current: () => cluster?.isCurrent() ?? false });
  const platform = await open(settings, tools, apiKeys);
  const metrics = createKubeMetrics(platform.metrics.registry, { clock });
  const userAgent = `orb-api/${platform.version}`;
  const client = createKubeClient({ connection, clock, random, logger, metrics, userAgent });
  const { namespace, vaultMode, identity } = settings;
  const stopping = new AbortController();
  const reporting = await followHead({ platform, client, metrics, namespace, identity }, stopping.signal);
  const following = await createCluster(platform, { client, metrics, random, namespace, apiKeys, vaultMode, identity });
  cluster = following;
  const run = following.run(stopping.signal);
  const evaluations = openPrometheusEvaluations(settings.prometheus, { clock, logger });
  const served = await serve(platform, {
    listen: settings.listen,
    metricsListen: settings.metricsListen,
    maxRequestBytes: settings.maxRequestBytes,
    httpBounds: settings.httpBounds,
    services: settings.services,
    trustedProxies: settings.trustedProxies,
    isBehindProxy: settings.isBehindProxy,
    probesListen: settings.probesListen,
    rates: settings.use.rates,
    ...createAuthentication({
      keys: apiKeys,
      reviewer: new TokenReviewer({ client, clock }),
      clock,
      logger,
      platformNamespace: namespace,
    }),
    missing: following.missing,
    pins: createObjectPins({ client, clock }),
    policyObjects: createPolicyObjects({ client, clock }),
    lastEvaluation: evaluations.lastEvaluation,
    ...(tls === undefined ? {} : { tls }),
  });
  const stop = async (): Promise<void> => {
    await served.stop();
    stopping.abort();
    await Promise.all([run, reporting(), evaluations.close()]);
    await platform.close(); // writes the last head through the client
    await client.close();
  };
  return {
    url: served.url,
    metricsUrl: served.metricsUrl,
    probesUrl: served.probesUrl,
    missing: following.missing,
    stop,
  };
}
