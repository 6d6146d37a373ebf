import type { EventRecorder } from '../../adapters/kube/event-recorder.ts';
import type { Store } from '../../adapters/kube/port.ts';
import { failoverEvent } from '../../core/failover/events.ts';
import { createLeaderTasks, type LeaderTaskOptions } from '../process/leader-tasks.ts';
import type { Platform } from '../process/platform.ts';
import type { OrbFeed } from './orb-feed.ts';

export interface SwapTasksDeps extends Pick<LeaderTaskOptions, 'identity' | 'random' | 'evaluator'> {
  readonly platform: Platform;
  readonly recorder: Pick<EventRecorder, 'record' | 'run'>;
  readonly feed: Pick<OrbFeed, 'swapped' | 'allSwapped'>;
  /** The store of Orbs. */
  readonly store: Pick<Store, 'get'>;
}

/** The tasks that one API process does for all replicas. */
export interface SwapTasks {
  /** An Orb was taken over. @param key `namespace/name` */
  readonly observe: (key: string) => void;
  /** Runs until the signal is aborted. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Probes and swap receipts, with Events on the Orbs. */
export function createSwapTasks({ platform, recorder, feed, store, ...holding }: SwapTasksDeps): SwapTasks {
  const { identity, random, evaluator } = holding;
  const tasks = createLeaderTasks(platform, {
    identity,
    random,
    evaluator,
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
