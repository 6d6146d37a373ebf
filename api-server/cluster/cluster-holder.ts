import { createEventRecorder } from '../../adapters/kube/event-recorder.ts';
import type { RuntimeMetrics } from '../../adapters/kube/kube-metrics.ts';
import type { KubeClient, Store } from '../../adapters/kube/port.ts';
import { failoverEvent } from '../../core/failover/events.ts';
import { createHolderTasks } from '../process/holder-tasks.ts';
import type { Platform } from '../process/platform.ts';
import type { OrbFeed } from './orb-feed.ts';

export interface ClusterHolderDeps {
  readonly platform: Platform;
  readonly client: KubeClient;
  readonly metrics: RuntimeMetrics;
  /** [0, 1) */
  readonly random: () => number;
  readonly identity: string;
  readonly feed: Pick<OrbFeed, 'swapped' | 'allSwapped'>;
  /** Orbs. */
  readonly store: Pick<Store, 'get'>;
}

/** What one API process of a cluster does for all. */
export interface ClusterHolder {
  /** An Orb was taken over. @param key `namespace/name` */
  readonly observe: (key: string) => void;
  /** Until the signal is aborted; never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Probes and swap receipts, with Events on the Orbs. */
export function createClusterHolder({
  platform,
  client,
  metrics,
  random,
  identity,
  feed,
  store,
}: ClusterHolderDeps): ClusterHolder {
  const { clock, log, version } = platform;
  const reporting = { reportingController: 'orbs.dev/api', reportingInstance: identity };
  const recorder = createEventRecorder({ client, clock, logger: log.logger, metrics, ...reporting });
  const tasks = createHolderTasks(platform, {
    identity,
    random,
    // The status names the epoch of the operator's lease, not who held it.
    evaluator: () => ({ id: `orb-operator/${version}`, instance: 'orb-operator' }),
    swapped: () => feed.allSwapped(),
    onBudgetExhausted: ({ namespace, name }, provider) => {
      const orb = store.get(`${namespace}/${name}`);
      const note = `"${provider}" is not probed for a while: probe.max_per_hour is used up; raise it, or probe.interval.`;
      if (orb !== undefined) recorder.record(orb, [failoverEvent('Warning', 'ProbeBudgetExhausted', note)]);
    },
  });
  return {
    observe: (key) => {
      const orb = feed.swapped(key);
      if (orb !== undefined) tasks.observe(orb);
    },
    run: async (signal) => {
      await Promise.all([recorder.run(signal), tasks.run(signal)]);
    },
  };
}
