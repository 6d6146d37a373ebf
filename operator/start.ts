import { openConnection } from '../adapters/kube/connection-flags.ts';
import { createElection } from '../adapters/kube/election.ts';
import { createEventRecorder } from '../adapters/kube/event-recorder.ts';
import { createKubeClient } from '../adapters/kube/kube-client.ts';
import { createKubeMetrics, type RuntimeMetrics } from '../adapters/kube/kube-metrics.ts';
import { createManager, type LeaderTask, type Manager } from '../adapters/kube/manager.ts';
import type { KubeClient, Reflector } from '../adapters/kube/port.ts';
import { createReflector } from '../adapters/kube/reflector.ts';
import { serveProbes } from '../adapters/http/serve-probes.ts';
import type { Logger } from '../adapters/telemetry/port.ts';
import { createProcessMetrics } from '../adapters/telemetry/process-metrics.ts';
import { withListenErrors } from '../adapters/process/listen.ts';
import { serveMetrics } from '../adapters/http/serve-metrics.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { judgeManifest } from '../core/orb/plan-manifest.ts';
import { urlOf } from '../core/network/listen-address.ts';
import type { Context } from './kinds/context.ts';
import { createLoops, type Loops, type LoopsOptions } from './loops.ts';
import { openFailover } from './failover/failover-parts.ts';
import { createLoaderMetrics } from './loader/loader-metrics.ts';
import { createManifestLoader } from './loader/manifest-loader.ts';
import { reportTarget, type PodEnvironment } from './loader/report-target.ts';
import type { Settings } from './settings.ts';
import { checkVersion, VERSION } from './version-guard.ts';

/** Parts of the process that a test replaces. */
export interface StartTools {
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  readonly logger: Logger;
  readonly env: PodEnvironment;
  readonly version: string;
}

/** An operator with all parts made and all addresses bound. */
export interface Operator {
  readonly probesUrl: string;
  readonly metricsUrl: string;
  readonly ready: Manager['ready'];
  /**
   * Works until the signal is aborted. Everything has ended when it resolves (operator.md A11). Call it once.
   * @throws SkippedVersion another version must be installed first
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

type Parts = StartTools & {
  readonly settings: Settings;
  readonly client: KubeClient;
  readonly metrics: RuntimeMetrics;
};

/** Name of the leader's Lease. */
const LEASE = 'orb-operator';

/** The control loops over the cluster's API. */
function loopsOf(
  { settings, client, clock, random, logger, metrics }: Parts,
  own: Pick<LoopsOptions, 'recorder' | 'assertLeading' | 'failover' | 'source'>,
): Loops {
  const {
    allowedOrigins,
    vaultMode,
    workers,
    failoverTickMs: tickMs,
    namespace: platformNamespace,
    apiAccount,
  } = settings;
  return createLoops({
    ...own,
    client,
    clock,
    random,
    logger,
    metrics,
    allowedOrigins,
    platformNamespace,
    apiAccount,
    vaultMode,
    workers,
    tickMs,
    reflect: (about) => createReflector({ selection: {}, ...about, client, clock, random, logger, metrics }),
    judge: (orb) => judgeManifest(orb, allowedOrigins),
  });
}

interface LoaderParts extends Parts {
  readonly recorder: Context['recorder'];
  readonly assertLeading: () => void;
  readonly orbs: Reflector['store'];
  readonly registry: Parameters<typeof createLoaderMetrics>[0];
}

/** The loader of a folder of manifests, when one is given (design.md §2). */
function loaderTasks(parts: LoaderParts): readonly LeaderTask[] {
  const { settings, client, env, registry } = parts;
  const { manifests, allowedOrigins, namespace } = settings;
  if (manifests === undefined) return [];
  const loader = createManifestLoader({
    folder: manifests.folder,
    namespace: manifests.namespace,
    client,
    orbs: parts.orbs,
    assertLeading: parts.assertLeading,
    recorder: parts.recorder,
    reportOn: reportTarget(env, client, { namespace, name: LEASE }),
    clock: parts.clock,
    logger: parts.logger,
    metrics: createLoaderMetrics(registry),
    allowedOrigins,
  });
  return [{ name: 'manifest-loader', run: loader.run }];
}

/**
 * Makes every part and binds the addresses. Nothing is requested from the cluster yet.
 * @throws Error an address or file is missing
 */
export async function createOperator(settings: Settings, tools: StartTools): Promise<Operator> {
  const { clock, random, logger, env, version } = tools;
  const own = createProcessMetrics(version);
  const { registry } = own;
  const metrics = createKubeMetrics(registry, { clock });
  const connection = await openConnection(settings.connection);
  const client = createKubeClient({ connection, clock, random, logger, metrics, userAgent: `orb-operator/${version}` });
  const { identity, namespace, probesListen, metricsListen } = settings;
  const lease = { namespace, name: LEASE };
  const election = createElection({
    client,
    clock,
    random,
    logger,
    metrics,
    identity,
    ...lease,
    ...settings.lease,
    annotations: { [VERSION]: version },
  });
  const reporting = { reportingController: 'orbs.dev/operator', reportingInstance: env.POD_NAME ?? identity };
  const recorder = createEventRecorder({ client, clock, logger, metrics, ...reporting });
  const parts: Parts = { ...tools, settings, client, metrics };
  const { assertLeading, epoch } = election;
  const {
    state: failover,
    source,
    slices,
  } = openFailover(settings.prometheus, { clock, random, logger, metrics: own, epoch });
  const { reflectors, tasks } = loopsOf(parts, { recorder, assertLeading, failover, source });
  const loader = loaderTasks({ ...parts, recorder, assertLeading, orbs: reflectors.orb.store, registry });
  const manager = createManager({
    reflectors,
    election,
    controllers: [...tasks, ...loader],
    recorder,
    clock,
    logger,
  });
  const probes = await withListenErrors(probesListen, '--probes-listen', () =>
    serveProbes({ ...probesListen, ready: manager.ready, logger }),
  );
  const scraped = await withListenErrors(metricsListen, '--metrics-listen', () =>
    serveMetrics(metricsListen, { slices }, logger),
  );
  return {
    probesUrl: urlOf({ ...probesListen, port: probes.port }),
    metricsUrl: `${urlOf({ ...metricsListen, port: scraped.port })}/metrics`,
    ready: manager.ready,
    run: async (signal) => {
      await checkVersion({ client, clock, logger, version, lease }, signal);
      await manager.run(signal);
      await Promise.all([probes.close(), scraped.close(), client.close(), source?.close()]);
    },
  };
}
