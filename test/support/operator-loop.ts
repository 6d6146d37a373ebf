import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricsOrigin, MetricsSource } from '../../adapters/failover-metrics/port.ts';
import { createController } from '../../adapters/kube/controller.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { createWorkQueue } from '../../adapters/kube/work-queue.ts';
import { readFailoverStatus } from '../../core/failover/status-codec.ts';
import type { MetricsSnapshot, ProviderMetrics, UnusableReason } from '../../core/failover/metrics.ts';
import type { FailoverStatus } from '../../core/failover/types.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { statusOf } from '../../core/reconcile/read-object.ts';
import type { SwapConfig } from '../../crds/manifest.ts';
import type { FailoverState } from '../../operator/failover/failover-state.ts';
import { createFailoverLoop } from '../../operator/swap-loop/loop.ts';
import { reconcileOrb } from '../../operator/kinds/orb/reconcile.ts';
import type { FakeClock } from './fake-clock.ts';
import { busy, fresh, probed, traffic } from './failover.ts';
import { manifestOf, sent } from './kube-objects.ts';
import { recordingLogger, type RecordedLine } from './kube/recorders.ts';
import { recordMetrics } from './kube/runtime-recorders.ts';
import { operatorContext, type OperatorContext } from './operator-context.ts';

export const TICK = 15_000;
/** Start of the clock of an operator in memory. */
const BEGAN = Date.parse('2026-02-01T10:00:00Z');
const KEY = 'acme/mail';
/**
 * A tick, its reconcile and its write take fewer turns of the event loop, because none of their steps waits for time.
 */
const TURNS = 30;

const execution = (name: string): object => ({ type: 'http', method: 'GET', url: `https://${name}.example.com/` });

/** An Orb with the providers a, b and c. */
export const mail = (
  swap: SwapConfig = {},
  members: Readonly<Record<string, unknown>> = {},
  name = 'mail',
): KubeObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { name, namespace: 'acme' },
  spec: manifestOf({
    orb_id: `acme.${name}@1.0.0`,
    provider: 'a',
    execution: execution('a'),
    inputs: {},
    providers: { b: { execution: execution('b') }, c: { execution: execution('c') } },
    swap_config: { primary: 'a', fallbacks: ['b', 'c'], strategy: 'latency', dwell: { jitter: 0 }, ...swap },
    ...members,
  }),
});

/** The metrics of a, b and c that a source returns at a moment. */
export type Script = (now: number) => Readonly<Record<string, ProviderMetrics>> | UnusableReason;

const standby = (p50: number, now: number): ProviderMetrics => probed(p50, { lastAt: now - 10_000 });

/** All are healthy, and a has the traffic. */
export const healthy: Script = (now) => ({
  a: busy(traffic(100, 200)),
  b: standby(260, now),
  c: standby(300, now),
});

/** a is five times as slow. */
export const slow: Script = (now) => ({ ...providersOf(healthy, now), a: busy(traffic(100, 1000)) });

/** a fails in all metrics. */
export const failing: Script = (now) => ({
  ...providersOf(healthy, now),
  a: busy(traffic(0, 0, { attempts: 50, bad: 50 })),
});

/** b has the traffic; a is healthy according to its probes. */
export const recovered: Script = (now) => ({
  a: standby(200, now),
  b: busy(traffic(100, 260)),
  c: standby(300, now),
});

export function providersOf(script: Script, now: number): Readonly<Record<string, ProviderMetrics>> {
  const said = script(now);
  return typeof said === 'string' ? {} : said;
}

interface LoopWorld extends OperatorContext {
  readonly state: FailoverState;
  readonly lines: readonly RecordedLine[];
  /** Sets the metrics that the source returns from now on. */
  readonly say: (script: Script) => void;
  /** Replaces the query function of the source. */
  readonly replaceMeasure: (measure: MetricsSource['measure']) => void;
  /** Applies an Orb as a user does, and lets the controller reconcile it. */
  readonly apply: (orb: KubeObject) => Promise<void>;
  /** Runs ticks, with all their reconciles and writes. */
  readonly ticks: (times: number) => Promise<void>;
  readonly orb: (name?: string) => KubeObject;
  readonly status: () => FailoverStatus;
  /** Writes of the Orb's status so far. */
  readonly statusWrites: () => number;
  /** Resolves when everything that is running now has ended. */
  readonly settled: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface LoopOptions {
  /** The world of the previous leader, whose cluster is kept. */
  readonly after?: LoopWorld;
  readonly epoch?: number;
  readonly clock?: FakeClock;
}

const origin: MetricsOrigin = {
  source: 'prometheus',
  evaluatedAt: 0,
  querySha256: `sha256:${'0'.repeat(64)}`,
  promql: () => ({ pq: 'histogram_quantile(0.95, …)' }),
};

/** A leading operator's swap loop over a Kubernetes API in memory, with a source that the test controls. */
export async function startLoop({ after, epoch = 1, clock: own }: LoopOptions = {}): Promise<LoopWorld> {
  const operator = operatorContext({
    scrapeIntervalMs: TICK,
    epoch,
    ...(after === undefined ? {} : { client: after.client, clock: after.clock }),
    ...(own === undefined ? {} : { clock: own }),
  });
  const { context, clock, client } = operator;
  // Time of other processes, whose clocks are right.
  const metricsAt = (): number => BEGAN + clock.monotonic();
  const since = new Map<string, number>();
  const lines: RecordedLine[] = [];
  let script: Script = healthy;
  const snapshot = (key: string): MetricsSnapshot => {
    const said = script(metricsAt());
    if (typeof said !== 'string') {
      since.delete(key);
      return fresh(said, metricsAt());
    }
    since.set(key, since.get(key) ?? metricsAt());
    return { state: 'unusable', why: said, since: since.get(key) ?? 0 };
  };
  let measure: MetricsSource['measure'] = async () => ({
    snapshot: ({ namespace, orbId }) => snapshot(`${namespace}/${orbId}`),
    origin: typeof script(metricsAt()) === 'string' ? null : { ...origin, evaluatedAt: metricsAt() },
    oldestMs: 8000,
  });
  const { metrics } = recordMetrics();
  const logger = recordingLogger(lines);
  const queue = createWorkQueue({ name: 'orb', clock, metrics });
  const source: MetricsSource = { measure: (orbs, signal) => measure(orbs, signal) };
  const loop = createFailoverLoop({ context, queue, logger, source, clock, tickMs: TICK });
  const controller = createController({
    name: 'orb',
    kind: 'Orb',
    queue,
    reconcile: (key, { signal }) => reconcileOrb(key, context, signal),
    writes: [operator.orbWrites],
    clock,
    random: () => 0.5,
    logger,
    metrics,
  });
  await operator.syncCaches();
  const stop = new AbortController();
  const running = Promise.all([loop.run(stop.signal), controller.run(stop.signal)]);
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    // Written objects come back through the watch.
    await operator.syncCaches();
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  };
  const orb = (name = 'mail'): KubeObject => {
    const found = client.objects(KINDS.orb).find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`no Orb ${name}`);
    return found;
  };
  const status = (): FailoverStatus => {
    const read = readFailoverStatus(statusOf(orb())['failover']);
    if (read === null) throw new Error('no status.failover');
    return read;
  };
  return {
    ...operator,
    state: context.failover,
    lines,
    say: (next) => {
      script = next;
    },
    replaceMeasure: (next) => {
      measure = next;
    },
    apply: async (applied) => {
      const before = client.objects(KINDS.orb).find(({ metadata }) => metadata.name === applied.metadata.name);
      client.put(KINDS.orb, sent(before === undefined ? applied : { ...applied, status: before.status }));
      await operator.syncCaches();
      const key = `acme/${applied.metadata.name}`;
      queue.add(key);
      await settled();
    },
    ticks: async (times) => {
      for (let tick = 0; tick < times; tick += 1) {
        await clock.advance(TICK);
        await settled();
      }
    },
    settled,
    orb,
    status,
    statusWrites: () => operator.writes().filter((line) => line.endsWith(`Orb ${KEY} orb-operator`)).length,
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}
