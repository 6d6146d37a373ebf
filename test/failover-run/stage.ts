import { setTimeout as delay } from 'node:timers/promises';
import type { Journal } from './journal.ts';
import { latency, type CallerRun, type Load } from './load.ts';
import { ORBS, THRESHOLD_MS, type CalledOrb } from './orbs.ts';
import type { OrbWatch } from './watch-orbs.ts';
import type { World } from './world.ts';

/** Everything that a leg works with. */
export interface Stage {
  readonly world: World;
  readonly journal: Journal;
  readonly load: Load;
  readonly orbs: OrbWatch;
}

const POLL_MS = 100;

/** Lets time pass; the callers are summed up meanwhile. */
export async function letTimePass({ journal, load }: Stage, ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    journal.sumUp(load.runs);
    await delay(Math.min(1000, Math.max(0, end - performance.now())));
  }
}

/** @throws Error it did not come about within that time */
export async function until(stage: Stage, what: string, ms: number, holds: () => boolean): Promise<void> {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${ms / 1000} s: ${what}`);
    await letTimePass(stage, POLL_MS);
  }
}

export const allOn = ({ orbs }: Stage, provider: string): boolean =>
  ORBS.every(({ name }) => orbs.of(name).failover?.activeProvider === provider);

/** Runs of an Orb that were asked for in that time. */
export const runsOf = ({ load }: Stage, orb: CalledOrb, from: number, to = Infinity): readonly CallerRun[] =>
  load.runs.filter((run) => run.orb === orb.name && run.at >= from && run.at < to);

const textOf = (runs: readonly CallerRun[]): string =>
  `${runs.length} runs, p50 ${Math.round(latency(runs, 0.5))} ms, p95 ${Math.round(latency(runs, 0.95))} ms, ${runs.filter(({ fault }) => fault !== '').length} failed`;

/** Callers were served well from then on, by one provider when it is named. */
export function checkFast(stage: Stage, what: string, from: number, provider?: string): void {
  for (const orb of ORBS) {
    const runs = runsOf(stage, orb, from);
    const isServed =
      runs.length > 0 && runs.every((run) => run.fault === '' && run.provider === (provider ?? run.provider));
    stage.journal.check(`${orb.name}: ${what}`, isServed && latency(runs, 0.95) < THRESHOLD_MS, textOf(runs));
  }
}
