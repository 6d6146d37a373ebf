// The operator's swap loop over many healthy Orbs, with a real Prometheus and a Kubernetes API in memory. Takes
// settings as JSON in the first argument, prints measurements as JSON. Ticks follow each other without pause; the
// loop's clock moves 15 s for each.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricsSource } from '../../adapters/failover-metrics/port.ts';
import { createPrometheusClient } from '../../adapters/prometheus/client.ts';
import type { PrometheusMode } from '../../adapters/prometheus/expressions.ts';
import { createPrometheusSource } from '../../adapters/prometheus/source.ts';
import { systemClock, type Clock } from '../../adapters/time/clock.ts';
import { createFailoverLoop } from '../../operator/swap-loop/loop.ts';
import { reconcileOrb } from '../../operator/kinds/orb/reconcile.ts';
import { createOperatorStub } from './failover/operator-stub.ts';
import { startCost, type Cost } from './failover/loop-delay.ts';

export interface LoopSettings {
  readonly orbs: number;
  readonly url: string;
  readonly mode: PrometheusMode;
  readonly ticks: number;
}

export interface TickMeasurement {
  readonly all: Cost;
  /** The part of it for the query, its answer, and the snapshots' index. */
  readonly query: Cost;
  /** The baseline of an hour was queried: every fourth tick. */
  readonly hasBase: boolean;
  /** Why the metrics could not be used; '' when they could. */
  readonly unusable: string;
  readonly writes: number;
}

export interface LoopMeasurements {
  readonly ticks: readonly TickMeasurement[];
}

const TICK_MS = 15_000;
const BASE_EVERY = 4;
/** Compiled code, and every Orb's first evaluation. */
const WARM_TICKS = 4;

const isSettings = (value: unknown): value is LoopSettings =>
  typeof value === 'object' && value !== null && 'url' in value && 'ticks' in value;

const settings: unknown = JSON.parse(process.argv[2] ?? '');
if (!isSettings(settings)) throw new TypeError('settings expected as the first argument');
const { signal } = new AbortController();

/** A turnstile: one side waits, the other lets it through. */
function turnstile(): { readonly wait: () => Promise<void>; readonly open: () => void } {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    wait: () => promise,
    open: () => {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
}

const [begin, ended] = [turnstile(), turnstile()];
let passedMs = 0;
const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs };
const silent = (): void => undefined;
const logger = {
  debug: silent,
  info: silent,
  warn: console.error,
  error: console.error,
  child: () => logger,
  flush: () => Promise.resolve(),
};
const operator = createOperatorStub(settings.orbs, logger, ended.open);
await operator.settle();

let unusable = '';
let query: Cost = { ms: 0, cpuMs: 0, holdMs: 0 };
const prometheus = createPrometheusSource({
  client: createPrometheusClient({ connection: { url: settings.url, headers: {} }, clock }),
  clock,
  scrapeIntervalMs: TICK_MS,
  mode: settings.mode,
  onUnusable: (why, detail) => {
    unusable = `${why}: ${detail}`;
  },
});
const source: MetricsSource = {
  measure: async (orbs, stopping) => {
    const end = startCost();
    const measured = await prometheus.measure(orbs, stopping);
    query = end();
    return measured;
  },
};

const queued: string[] = [];
const queue = { add: (key: string): void => void queued.push(key) };
const loop = createFailoverLoop({
  context: operator.context,
  queue,
  logger,
  source,
  clock: { ...clock, sleep: begin.wait },
  tickMs: TICK_MS,
});

/** The writes that it put into the queue happen in between. */
async function tick(index: number): Promise<TickMeasurement> {
  unusable = '';
  passedMs += TICK_MS;
  const before = operator.writes();
  const done = ended.wait();
  const end = startCost();
  begin.open();
  await done;
  await nextTurn();
  const all = end();
  for (const key of queued.splice(0)) await reconcileOrb(key, operator.context, signal);
  return { all, query, hasBase: index % BASE_EVERY === 0, unusable, writes: operator.writes() - before };
}

const first = ended.wait();
void loop.run(signal);
await first;
await nextTurn();
for (const key of queued.splice(0)) await reconcileOrb(key, operator.context, signal);
const ticks: TickMeasurement[] = [];
for (let index = 1; index < WARM_TICKS + settings.ticks; index += 1) {
  const measured = await tick(index);
  if (index >= WARM_TICKS) ticks.push(measured);
}
const measured: LoopMeasurements = { ticks };
process.stdout.write(`${JSON.stringify(measured)}\n`, () => process.exit(0));
