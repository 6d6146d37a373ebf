import type { MetricsSource } from '../adapters/failover-metrics/port.ts';
import { openConnection } from '../adapters/kube/connection-flags.ts';
import { createElection } from '../adapters/kube/election.ts';
import { createEventRecorder } from '../adapters/kube/event-recorder.ts';
import { createKubeClient } from '../adapters/kube/kube-client.ts';
import { createKubeMetrics, type RuntimeMetrics } from '../adapters/kube/kube-metrics.ts';
import { createManager, type LeaderTask, type Manager } from '../adapters/kube/manager.ts';
import { createOwnWrites, type OwnWrites } from '../adapters/kube/own-writes.ts';
import { KINDS } from '../adapters/kube/kinds.ts';
import type { Kind, KubeClient, Reflector } from '../adapters/kube/port.ts';
import { serveProbes } from '../adapters/kube/probes.ts';
import { createStatusWriter } from '../adapters/kube/status-writer.ts';
import { createWorkQueue } from '../adapters/kube/work-queue.ts';
import type { Logger } from '../adapters/telemetry/port.ts';
import { createProcessMetrics } from '../adapters/telemetry/process-metrics.ts';
import { serveMetrics } from '../adapters/telemetry/serve-metrics.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { VAULT_READER } from '../core/orbiset/vault-reader.ts';
import type { ObjectRef } from '../core/reconcile/kube-object.ts';
import type { Context } from './context.ts';
import { CONTROLLERS, createControllers, type WorkQueues, type Writes } from './controllers.ts';
import { createHandlers } from './enqueue.ts';
import type { FailoverState } from './failover/failover-state.ts';
import { openFailover } from './failover/failover-parts.ts';
import { createFailoverLoop } from './failover/loop.ts';
import { createLoaderMetrics } from './loader/loader-metrics.ts';
import { createManifestLoader } from './loader/manifest-loader.ts';
import { reportTarget, type PodEnvironment } from './loader/report-target.ts';
import { createJudgements, type Judgements } from './orb/judgements.ts';
import { statusOwners } from './owners.ts';
import { createReflectors, storesOf, type Reflectors } from './reflectors.ts';
import type { Settings } from './settings.ts';
import { checkVersion, VERSION } from './version-guard.ts';

/** What a process has that a test replaces. */
export interface StartTools {
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  readonly logger: Logger;
  readonly env: PodEnvironment;
  readonly version: string;
}

/** An operator whose parts are made and whose addresses are taken. */
export interface Operator {
  readonly probesUrl: string;
  readonly metricsUrl: string;
  readonly ready: Manager['ready'];
  /**
   * Works until the signal is aborted; everything has ended when it resolves (operator.md A11). Once.
   * @throws SkippedVersion another one must come first
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

type Parts = StartTools & {
  readonly settings: Settings;
  readonly client: KubeClient;
  readonly metrics: RuntimeMetrics;
};

/** Of the Lease that the leader holds. */
const LEASE = 'orb-operator';

function createQueues({ clock, metrics }: Parts): WorkQueues {
  const queue = (name: string): WorkQueues['orb'] => createWorkQueue({ name, clock, metrics });
  return {
    orb: queue(CONTROLLERS.orb),
    failover: queue(CONTROLLERS.failover),
    orbiset: queue(CONTROLLERS.orbiset),
    roleBinding: queue(CONTROLLERS.roleBinding),
    publication: queue(CONTROLLERS.publication),
  };
}

/** Keys of that controller are namespaces. */
const bindingOf = (namespace: string): ObjectRef => ({ namespace, name: VAULT_READER });

function createWrites({ client, clock }: Parts, reflectors: Reflectors): Writes {
  const writes = (kind: Kind, { store }: Reflector): OwnWrites => createOwnWrites({ client, kind, store, clock });
  const { store } = reflectors.roleBinding;
  return {
    orb: writes(KINDS.orb, reflectors.orb),
    orbiset: writes(KINDS.orbiset, reflectors.orbiset),
    publication: writes(KINDS.publication, reflectors.publication),
    roleBinding: createOwnWrites({ client, kind: KINDS.roleBinding, store, clock, refOf: bindingOf }),
  };
}

/** What changes of Orbs make forgotten. */
const forgetting = (judgements: Judgements, { orbs }: FailoverState): Pick<Judgements, 'forget'> => ({
  forget: (key) => {
    judgements.forget(key);
    orbs.forget(key);
  },
});

/** Queues, caches, and the tasks between them. @param source absent: nothing is swapped by figures */
function wire(
  parts: Parts,
  shared: Pick<Context, 'recorder' | 'assertLeading' | 'failover'>,
  source: MetricsSource | undefined,
): {
  readonly reflectors: Reflectors;
  readonly tasks: readonly LeaderTask[];
} {
  const { settings, client, clock } = parts;
  const { allowedOrigins, namespace: platformNamespace, vaultMode, workers } = settings;
  const queues = createQueues(parts);
  const judgements = createJudgements(allowedOrigins);
  const forgets = forgetting(judgements, shared.failover);
  const handlers = createHandlers(queues, () => storesOf(reflectors), forgets, platformNamespace);
  const reflectors: Reflectors = createReflectors(settings, parts, handlers);
  const writes = createWrites(parts, reflectors);
  const stores = storesOf(reflectors);
  const context: Context = {
    ...shared,
    stores,
    owners: statusOwners(stores, writes),
    writer: createStatusWriter({ client, assertLeading: shared.assertLeading }),
    clock,
    judgements,
    platformNamespace,
    vaultMode,
    allowedOrigins,
    client,
    bindingWrites: writes.roleBinding,
    leftSince: new WeakMap(),
  };
  const { random, logger, metrics } = parts;
  const loop = { context, queue: queues.failover, logger, clock, tickMs: settings.failoverTickMs };
  return {
    reflectors,
    tasks: [
      ...(source === undefined ? [] : [createFailoverLoop({ ...loop, source })]),
      ...createControllers(context, queues, writes, { clock, random, logger, metrics, workers }),
    ],
  };
}

interface LoaderParts extends Parts {
  readonly recorder: Context['recorder'];
  readonly assertLeading: () => void;
  readonly orbs: Reflectors['orb']['store'];
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

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Makes every part and takes the addresses; nothing is asked of the cluster yet. @throws Error an address or file is not there */
export async function createOperator(settings: Settings, tools: StartTools): Promise<Operator> {
  const { clock, random, logger, env, version } = tools;
  const own = createProcessMetrics(version);
  const { registry } = own;
  const metrics = createKubeMetrics(registry, { clock });
  const connection = await openConnection(settings.connection);
  const client = createKubeClient({ connection, clock, random, logger, metrics, userAgent: `orb-operator/${version}` });
  const { identity, namespace } = settings;
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
  const { state: failover, source, slices } = openFailover(settings, { clock, random, logger, metrics: own, epoch });
  const { reflectors, tasks } = wire(parts, { recorder, assertLeading, failover }, source);
  const loader = loaderTasks({ ...parts, recorder, assertLeading, orbs: reflectors.orb.store, registry });
  const manager = createManager({
    reflectors,
    election,
    controllers: [...tasks, ...loader],
    recorder,
    clock,
    logger,
  });
  const probes = await serveProbes({ ...settings.probesListen, ready: manager.ready, logger });
  const scraped = await serveMetrics(settings.metricsListen, { slices }, logger);
  return {
    probesUrl: urlOf(settings.probesListen.host, probes.port),
    metricsUrl: `${urlOf(settings.metricsListen.host, scraped.port)}/metrics`,
    ready: manager.ready,
    run: async (signal) => {
      await checkVersion({ client, clock, logger, version, lease }, signal);
      await manager.run(signal);
      await Promise.all([probes.close(), scraped.close(), client.close(), source?.close()]);
    },
  };
}
