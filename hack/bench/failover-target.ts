// The scrape target of the benchmark: the metrics of many Orbs by the telemetry code of the API. First it serves the
// past hour: many steps of 15 s in one answer, each sample with its own time. Then it serves one step every 15 s.
// Settings as JSON in the first argument; prints its port; ends on a signal.
import { performance } from 'node:perf_hooks';
import { serveMetrics } from '../../adapters/http/serve-metrics.ts';
import { countStep, metricsOf, syntheticOrbs } from './failover/synthetic-orbs.ts';

export interface TargetSettings {
  readonly orbs: number;
  readonly historyMinutes: number;
  /** Longest answer while it serves the past. */
  readonly answerMs: number;
}

const STEP_MS = 15_000;

const isSettings = (value: unknown): value is TargetSettings =>
  typeof value === 'object' && value !== null && 'historyMinutes' in value && 'answerMs' in value;

const settings: unknown = JSON.parse(process.argv[2] ?? '');
if (!isSettings(settings)) throw new TypeError('settings expected as the first argument');
const { historyMinutes, answerMs } = settings;
const orbs = syntheticOrbs(settings.orbs);
const metrics = metricsOf(orbs);
let step = 0;
let at = Date.now() - historyMinutes * 60_000;

/** A sample without a time of its own counts as taken now. */
async function* stamped(): AsyncGenerator<string> {
  for await (const piece of metrics.slices()) yield piece.replaceAll(/^([^#\n].*)$/gm, `$1 ${at}`);
}

/** Serves nothing between two steps: a sample with a time stays valid until the next sample. */
async function* slices(): AsyncGenerator<string> {
  const end = performance.now() + answerMs;
  while (at <= Date.now() && performance.now() < end) {
    countStep(metrics, orbs, step, at / 1000);
    yield* stamped();
    step += 1;
    at += STEP_MS;
  }
}

const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, { slices }, { warn: console.error });
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
