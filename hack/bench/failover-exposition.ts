// Serves the metrics of many Orbs as the API or the operator does, and measures each scrape. Settings
// as JSON in the first argument; prints its port, and a line of measurements when standard input ends.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createProcessMetrics } from '../../adapters/telemetry/process-metrics.ts';
import { serveMetrics } from '../../adapters/http/serve-metrics.ts';
import { createFailoverGauges } from '../../operator/failover/gauges.ts';
import { healthyOutput } from './failover/healthy-orb.ts';
import { startCost, type Cost } from './failover/loop-delay.ts';
import { countStep, metricsOf, syntheticOrbs } from './failover/synthetic-orbs.ts';

export interface ExpositionSettings {
  readonly orbs: number;
  readonly process: 'api' | 'operator';
}

export interface ExpositionMeasurements {
  /** Times without a scrape: delays that the machine causes in every process. */
  readonly idle: readonly Cost[];
  readonly scrapes: readonly Cost[];
}

const STEPS = 8;
const IDLE_MS = 100;
const IDLES = 10;

type Slices = () => AsyncGenerator<string>;

function apiSlices(count: number): Slices {
  const orbs = syntheticOrbs(count);
  const metrics = metricsOf(orbs);
  for (let step = 0; step < STEPS; step += 1) countStep(metrics, orbs, step, Date.now() / 1000);
  return metrics.slices;
}

function operatorSlices(count: number): Slices {
  const own = createProcessMetrics('0');
  const gauges = createFailoverGauges(own.registry);
  const evaluatedAt = Date.now();
  const output = healthyOutput(evaluatedAt);
  for (const orb of syntheticOrbs(count)) {
    gauges.set(orb, output, { evaluatedAt, ageMs: 8000, quantile: orb.quantile, pinExpiresAt: null });
    gauges.evaluated(orb, output.explain.rule);
  }
  return async function* slices() {
    yield* own.slices();
    yield* gauges.slices();
  };
}

const isSettings = (value: unknown): value is ExpositionSettings =>
  typeof value === 'object' && value !== null && 'orbs' in value && 'process' in value;

const settings: unknown = JSON.parse(process.argv[2] ?? '');
if (!isSettings(settings)) throw new TypeError('settings expected as the first argument');
const slices = settings.process === 'api' ? apiSlices(settings.orbs) : operatorSlices(settings.orbs);
const scrapes: Cost[] = [];
const measured: Slices = async function* measured() {
  const end = startCost();
  yield* slices();
  scrapes.push(end());
};
const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, { slices: measured }, { warn: console.error });
const idle: Cost[] = [];
for (let number = 0; number < IDLES; number += 1) {
  const end = startCost();
  await delay(IDLE_MS);
  idle.push(end());
}
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
await server.close();
const measurements: ExpositionMeasurements = { idle, scrapes };
process.stdout.write(`${JSON.stringify(measurements)}\n`);
