import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPrometheus, type RunningPrometheus } from '../../prometheus/prometheus.ts';
import { scrape } from '../scrape.ts';
import { firstLine, start, type Started } from '../processes.ts';
import { portOf } from '../subjects.ts';
import type { TargetSettings } from '../failover-target.ts';

/** A Prometheus that has scraped the given number of Orbs for an hour, and continues. */
export interface FilledPrometheus {
  readonly prometheus: RunningPrometheus;
  readonly stop: () => Promise<void>;
}

export interface PrometheusCost {
  readonly cpuSeconds: number;
  readonly residentMb: number;
  readonly series: number;
  /** Duration of the last evaluation of the recording rules. */
  readonly rulesSeconds: number;
}

const RULES = join(import.meta.dirname, '../../../charts/orb-platform/files/prometheus/rules.yaml');
const POLL_MS = 1000;
/** Time for two evaluations of the recording rules. */
const SETTLE_MS = 35_000;
const FRESH_SECONDS = 30;

async function startTarget(settings: TargetSettings, log: number): Promise<{ started: Started; address: string }> {
  const script = join(import.meta.dirname, '../failover-target.ts');
  const started = start([script, JSON.stringify(settings)], log);
  return { started, address: `127.0.0.1:${portOf(await firstLine(started))}` };
}

/** Age of the newest sample, seconds; undefined before the first. */
async function newestAge({ url }: RunningPrometheus): Promise<number | undefined> {
  const query = encodeURIComponent('time() - max(timestamp(orb_provider_breaker_state))');
  const text = await (await fetch(`${url}/api/v1/query?query=${query}`)).text();
  const value = /"value":\[[\d.]+,"([^"]+)"\]/.exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

async function untilFilled(prometheus: RunningPrometheus, target: Started, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (let age = await newestAge(prometheus); (age ?? Infinity) > FRESH_SECONDS; age = await newestAge(prometheus)) {
    if (target.child.exitCode !== null) throw new Error('the target has ended: see the log file');
    if (performance.now() > end) throw new Error(`Prometheus had not read the past after ${seconds} s`);
    await delay(POLL_MS);
  }
  await delay(SETTLE_MS);
}

/** @param maxSeconds time limit for reading the past */
export async function startFilled(
  settings: TargetSettings,
  { log, maxSeconds }: { readonly log: number; readonly maxSeconds: number },
): Promise<FilledPrometheus> {
  const { started, address } = await startTarget(settings, log);
  const scrapeInterval = `${Math.ceil((settings.answerMs * 2) / 1000)}s`;
  const prometheus = await startPrometheus({ targets: [address], rulesFile: RULES, scrapeInterval });
  const stop = async (): Promise<void> => {
    await prometheus.stop();
    await started.stop();
  };
  try {
    await untilFilled(prometheus, started, maxSeconds);
  } catch (error) {
    await stop();
    throw error;
  }
  return { prometheus, stop };
}

/** The cost that Prometheus reports about itself. */
export async function costOf({ url }: RunningPrometheus): Promise<PrometheusCost> {
  const { sum } = await scrape(`${url}/metrics`);
  return {
    cpuSeconds: sum('process_cpu_seconds_total'),
    residentMb: sum('process_resident_memory_bytes') / 1e6,
    series: sum('prometheus_tsdb_head_series'),
    rulesSeconds: sum('prometheus_rule_group_last_duration_seconds'),
  };
}
