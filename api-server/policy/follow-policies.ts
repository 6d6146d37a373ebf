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
import type { PoliciesInForce } from './policies.ts';
import { createPolicyReporter } from './policy-reporter.ts';

export interface FollowPoliciesOptions {
  readonly policies: PoliciesInForce;
  readonly platformNamespace: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly client: Pick<KubeClient, 'get' | 'apply'>;
  readonly metrics: RuntimeMetrics;
  readonly reflect: Reflect;
  /** [0, 1) */
  readonly random: () => number;
  /** The lease of those who write statuses. */
  readonly lease: Pick<LedgerLease, 'assertLeading'>;
}

/** OrbPolicies and what is in force, kept equal. */
export interface PolicyFollower {
  readonly reflector: Reflector;
  /** Every policy that existed at the start was taken over. */
  readonly isRead: () => boolean;
  /** Takes policies over until the signal is aborted. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Reports while this process holds the lease. Never rejects. */
  readonly lead: (scope: AbortSignal) => Promise<void>;
}

/** Compiling takes the one thread, so more would only wait. */
const FEED_WORKERS = 2;
const REPORT_WORKERS = 2;

interface Parts extends FollowPoliciesOptions {
  readonly reflector: Reflector;
  readonly reports: WorkQueue;
}

const keysOf = ({ store }: Reflector): readonly string[] => store.list().map(({ metadata }) => keyOf(metadata));

const controllerParts = ({
  clock,
  random,
  logger,
  metrics,
}: FollowPoliciesOptions): Pick<ControllerOptions, 'kind' | 'clock' | 'random' | 'logger' | 'metrics'> => ({
  kind: 'OrbPolicy',
  clock,
  random,
  logger,
  metrics,
});

function createReporter(parts: Parts): Controller {
  const { clock, policies, client, lease, reflector, reports } = parts;
  const { store } = reflector;
  const writes = createOwnWrites({ client, kind: KINDS.orbpolicy, store, clock });
  const writer = createStatusWriter({ client, assertLeading: lease.assertLeading });
  return createController({
    ...controllerParts(parts),
    name: 'policy-report',
    queue: reports,
    reconcile: createPolicyReporter({ policies, store, writes, writer, clock }),
    writes: [writes],
    keys: () => keysOf(reflector),
    workers: REPORT_WORKERS,
  });
}

/** A policy that changes may leave room in the budget for others, or take it from them. */
function reportChanges({ policies, platformNamespace, reflector, reports }: Parts): void {
  policies.watch((namespace) => {
    const isForAll = namespace === platformNamespace;
    for (const key of keysOf(reflector)) if (isForAll || key.startsWith(`${namespace}/`)) reports.add(key);
  });
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Makes the feed of policies and their report. Nothing is read before its reflector runs. */
export function followPolicies(options: FollowPoliciesOptions): PolicyFollower {
  const { clock, metrics, policies } = options;
  const { feed } = policies;
  const queue = createWorkQueue({ name: 'policy-feed', clock, metrics });
  const reports = createWorkQueue({ name: 'policy-report', clock, metrics });
  const reflector = options.reflect({
    kind: KINDS.orbpolicy,
    onChange: ({ key, initial }) => {
      queue.add(key, { lane: initial ? 'low' : 'high' });
      reports.add(key);
    },
  });
  const pass = new InitialSync(reflector);
  void pass.over.then(() => policies.read());
  void enqueueRemoved(reflector, queue, () => feed.keys());
  reportChanges({ ...options, reflector, reports });
  const controller = createController({
    ...controllerParts(options),
    name: 'policy-feed',
    queue,
    reconcile: async (key) => {
      await feed.apply(key, reflector.store.get(key));
      pass.took(key); // only with success: until then the process is not ready
      return done;
    },
    workers: FEED_WORKERS,
  });
  const reporter = createReporter({ ...options, reflector, reports });
  const lead = async (scope: AbortSignal): Promise<void> => {
    await Promise.race([pass.over, aborted(scope)]);
    if (!scope.aborted) await reporter.run(scope);
  };
  return { reflector, isRead: () => pass.isOver, run: (signal) => controller.run(signal), lead };
}
