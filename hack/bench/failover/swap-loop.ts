import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { metricsQuery, type PrometheusMode } from '../../../adapters/prometheus/expressions.ts';
import { command } from '../../control-plane/command.ts';
import type { RunningPrometheus } from '../../prometheus/prometheus.ts';
import type { LoopMeasurements, LoopSettings, TickMeasurement } from '../failover-loop.ts';
import { largest, row, type Row } from '../table.ts';
import { costOf, startFilled, type PrometheusCost } from './history.ts';
import { firstLine, start } from '../processes.ts';
import { logFile, portOf } from '../subjects.ts';

/** One query of an evaluation, sent directly. */
interface QueryCost {
  readonly queryBytes: number;
  readonly answerMiB: number;
  readonly ms: number;
  /** As Prometheus reports it. */
  readonly evaluationMs: number;
  readonly samples: number;
  /** CPU of Prometheus for one query, less its CPU at rest. */
  readonly cpuSeconds: number;
}

interface ModeMeasurements extends LoopMeasurements {
  readonly mode: PrometheusMode;
  readonly plain: QueryCost;
  readonly withBase: QueryCost;
}

/** The loop with prepared answers: Prometheus itself is not measured. */
export interface ReadyLoop extends LoopMeasurements {
  readonly orbs: number;
  readonly answerMiB: number;
}

export interface SwapLoop {
  readonly orbs: number;
  readonly historyMinutes: number;
  readonly prometheus: PrometheusCost;
  /** CPU for scrapes and rules, per 15 s. */
  readonly restCpuSeconds: number;
  readonly modes: readonly ModeMeasurements[];
}

/** How many Orbs to measure, and how. */
export interface LoopSize {
  readonly orbs: number;
  /** Below 66, the baseline covers less than an hour. */
  readonly historyMinutes: number;
  readonly modes: readonly PrometheusMode[];
  readonly ticks: number;
}

const REST_MS = 30_000;
const QUERIES = 3;
/** In this time, two cores can read 1 000 Orbs. */
const ANSWER_MS = 1500;
const TICK_SECONDS = 15;
const GOALS = { orbs: 1000, cpuMs: 200, holdMs: 10 };
const QUANTILES = new Set([0.95] as const);

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? Number.NaN);

async function ask({ url }: RunningPrometheus, query: string): Promise<Omit<QueryCost, 'cpuSeconds'>> {
  const began = performance.now();
  const body = new URLSearchParams({ query, timeout: '60s', stats: 'true' });
  const answer = await fetch(`${url}/api/v1/query`, { method: 'POST', body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Prometheus refused the query: ${text.slice(0, 300)}`);
  return {
    queryBytes: query.length,
    answerMiB: text.length / 2 ** 20,
    ms: performance.now() - began,
    evaluationMs: numberIn(text, /"evalTotalTime":([\d.e-]+)/) * 1000,
    samples: numberIn(text, /"totalQueryableSamples":(\d+)/),
  };
}

async function measureQuery(prometheus: RunningPrometheus, query: string, restCpuPerMs: number): Promise<QueryCost> {
  const [before, began] = [await costOf(prometheus), performance.now()];
  const asked = [];
  for (let number = 0; number < QUERIES; number += 1) asked.push(await ask(prometheus, query));
  const rest = restCpuPerMs * (performance.now() - began);
  const used = (await costOf(prometheus)).cpuSeconds - before.cpuSeconds;
  const middle =
    asked.toSorted((one, other) => one.ms - other.ms)[Math.floor(QUERIES / 2)] ?? (await ask(prometheus, query));
  return { ...middle, cpuSeconds: Math.max(0, used - rest) / QUERIES };
}

const isMeasured = (value: unknown): value is LoopMeasurements =>
  typeof value === 'object' && value !== null && 'ticks' in value && Array.isArray(value.ticks);

/** Runs in its own process, so that the heap holds only the operator's objects. */
async function measureLoop(settings: LoopSettings): Promise<LoopMeasurements> {
  const script = join(import.meta.dirname, '../failover-loop.ts');
  const { code, stdout, stderr } = await command(process.execPath, [script, JSON.stringify(settings)]);
  const measured: unknown = code === 0 ? JSON.parse(stdout) : undefined;
  if (!isMeasured(measured)) throw new Error(`the swap loop did not run:\n${stderr}`);
  return measured;
}

async function measureMode(
  prometheus: RunningPrometheus,
  mode: PrometheusMode,
  { orbs, ticks, restCpuPerMs }: Pick<LoopSize, 'orbs' | 'ticks'> & { readonly restCpuPerMs: number },
): Promise<ModeMeasurements> {
  const query = (base: boolean): Promise<QueryCost> =>
    measureQuery(prometheus, metricsQuery(mode, { quantiles: QUANTILES, base }), restCpuPerMs);
  const plain = await query(false);
  const withBase = await query(true);
  return { mode, plain, withBase, ...(await measureLoop({ orbs, mode, ticks, url: prometheus.url })) };
}

/** @param folder for the output of target and process */
export async function measureSwapLoop(size: LoopSize, folder: string): Promise<SwapLoop> {
  const { orbs, historyMinutes, modes, ticks } = size;
  const { prometheus, stop } = await startFilled(
    { orbs, historyMinutes, answerMs: ANSWER_MS },
    { log: logFile(folder, 'target.txt'), maxSeconds: 600 },
  );
  try {
    const [before, began] = [await costOf(prometheus), performance.now()];
    await delay(REST_MS);
    const after = await costOf(prometheus);
    const restCpuPerMs = (after.cpuSeconds - before.cpuSeconds) / (performance.now() - began);
    const measured: ModeMeasurements[] = [];
    for (const mode of modes) measured.push(await measureMode(prometheus, mode, { orbs, ticks, restCpuPerMs }));
    const restCpuSeconds = restCpuPerMs * TICK_SECONDS * 1000;
    return { orbs, historyMinutes, prometheus: after, restCpuSeconds, modes: measured };
  } finally {
    await stop();
  }
}

/** More Orbs than one Prometheus can hold here. */
export async function measureReadyLoop(orbs: number, ticks: number, folder: string): Promise<ReadyLoop> {
  const script = join(import.meta.dirname, '../failover-answer.ts');
  const started = start([script, String(orbs)], logFile(folder, 'answer.txt'));
  try {
    const url = `http://127.0.0.1:${portOf(await firstLine(started))}`;
    const { byteLength } = await (await fetch(url)).arrayBuffer();
    return { orbs, answerMiB: byteLength / 2 ** 20, ...(await measureLoop({ orbs, mode: 'query', ticks, url })) };
  } finally {
    await started.stop();
  }
}

/** The goals apply to 1 000 Orbs only. */
const goal = (orbs: number, atMost: number): { readonly atMost?: number } => (orbs === GOALS.orbs ? { atMost } : {});

function tickRows(name: string, orbs: number, ticks: readonly TickMeasurement[]): readonly Row[] {
  const of = (pick: (tick: TickMeasurement) => number): readonly number[] => ticks.map(pick);
  return [
    row(
      `${name}: CPU of a tick, ms`,
      of(({ all }) => all.cpuMs),
      { digits: 0, ...goal(orbs, GOALS.cpuMs) },
    ),
    row(
      `${name}: of it query and answer, ms`,
      of(({ query }) => query.cpuMs),
      { digits: 0 },
    ),
    row(
      `${name}: longest loop delay of a tick, ms`,
      of(({ all }) => all.holdMs),
      goal(orbs, GOALS.holdMs),
    ),
    row(
      `${name}: time of a tick, ms`,
      of(({ all }) => all.ms),
      { digits: 0 },
    ),
  ];
}

function queryRows(name: string, { plain, withBase }: ModeMeasurements): readonly Row[] {
  const both = (what: string, pick: (query: QueryCost) => string): Row => ({
    what: `${name}: ${what}; with the baseline`,
    measured: `${pick(plain)}; ${pick(withBase)}`,
  });
  return [
    both('query, kB', ({ queryBytes }) => (queryBytes / 1000).toFixed(1)),
    both('answer, MiB', ({ answerMiB }) => answerMiB.toFixed(1)),
    both('time of the query, ms', ({ ms }) => ms.toFixed(0)),
    both('samples read', ({ samples }) => samples.toLocaleString('en')),
    both('CPU of Prometheus, s', ({ cpuSeconds }) => cpuSeconds.toFixed(2)),
  ];
}

function failures(name: string, ticks: readonly TickMeasurement[]): readonly Row[] {
  const unusable = ticks.filter((tick) => tick.unusable !== '');
  const first = unusable[0]?.unusable ?? '';
  const writes = largest(ticks.map((tick) => tick.writes));
  return [
    ...(unusable.length === 0
      ? []
      : [{ what: `${name}: ticks without metrics (${first})`, measured: `${unusable.length} of ${ticks.length}` }]),
    { what: `${name}: writes of a tick`, measured: String(writes), goal: '0', met: writes === 0 },
  ];
}

export function readyLoopRows({ orbs, answerMiB, ticks }: ReadyLoop): readonly Row[] {
  const name = `${orbs} Orbs, ready answer`;
  return [
    ...tickRows(name, orbs, ticks),
    { what: `${name}: answer, MiB`, measured: answerMiB.toFixed(1) },
    ...failures(name, ticks),
  ];
}

export function swapLoopRows({ orbs, prometheus, restCpuSeconds, modes, historyMinutes }: SwapLoop): readonly Row[] {
  const name = `${orbs} Orbs`;
  const rest: readonly Row[] = [
    { what: `${name}: series, after ${historyMinutes} min`, measured: prometheus.series.toLocaleString('en') },
    { what: `${name}: Prometheus, resident MB`, measured: prometheus.residentMb.toFixed(0) },
    { what: `${name}: Prometheus, CPU of scrape and rules, s per 15 s`, measured: restCpuSeconds.toFixed(1) },
    { what: `${name}: Prometheus, one evaluation of the rules, s`, measured: prometheus.rulesSeconds.toFixed(1) },
  ];
  return [
    ...rest,
    ...modes.flatMap((measured) => {
      const of = `${name}, ${measured.mode}`;
      return [...tickRows(of, orbs, measured.ticks), ...queryRows(of, measured), ...failures(of, measured.ticks)];
    }),
  ];
}
