import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import { createReflector } from '../../../adapters/kube/reflector.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { isRecord } from '../../control-plane/json.ts';
import { noKubeMetrics } from '../../../adapters/kube/no-metrics.ts';
import { silentLog } from '../../../adapters/telemetry/silent-log.ts';

/** Watches the statuses of all Orbs, as a person with `kubectl get -w` would. */
export interface Observer {
  /** Orbs whose current generation is Ready. */
  readonly ready: () => number;
  /** Resolves with the monotonic ms at which the Orb was Ready at this generation. */
  readonly readyAt: (key: string, generation: number) => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Generation of a Ready status; 0 when it is not Ready. */
function readyGeneration({ status }: KubeObject): number {
  if (!isRecord(status) || !Array.isArray(status['conditions'])) return 0;
  const conditions: readonly unknown[] = status['conditions'];
  const isReady = conditions.some((item) => isRecord(item) && item['type'] === 'Ready' && item['status'] === 'True');
  return isReady && typeof status['observedGeneration'] === 'number' ? status['observedGeneration'] : 0;
}

/** Starts watching; resolves after the first LIST. */
export async function observe(client: KubeClient): Promise<Observer> {
  const stopping = new AbortController();
  const ready = new Set<string>();
  const waiting = new Map<string, { readonly generation: number; readonly resolve: (at: number) => void }>();
  const see = (key: string, object: KubeObject | undefined): void => {
    const generation = object === undefined ? 0 : readyGeneration(object);
    if (generation > 0 && generation === object?.metadata.generation) ready.add(key);
    else ready.delete(key);
    const waiter = waiting.get(key);
    if (waiter === undefined || generation < waiter.generation) return;
    waiting.delete(key);
    waiter.resolve(systemClock.monotonic());
  };
  const reflector = createReflector({
    client,
    kind: KINDS.orb,
    selection: {},
    clock: systemClock,
    random: Math.random,
    logger: silentLog,
    metrics: noKubeMetrics,
    onChange: ({ key, after }) => see(key, after),
  });
  const running = reflector.run(stopping.signal);
  await reflector.synced;
  return {
    ready: () => ready.size,
    readyAt: (key, generation) =>
      new Promise((resolve) => {
        const object = reflector.store.get(key);
        if (object !== undefined && readyGeneration(object) >= generation) resolve(systemClock.monotonic());
        else waiting.set(key, { generation, resolve });
      }),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
