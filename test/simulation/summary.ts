import { simulate, type Policy, type Run } from './simulate.ts';
import type { Workload } from './workload.ts';

const SLOW_FROM_S = 1800;
const SLOW_TO_S = 2700;

/** Seconds from the start of the slowdown to the swap away from a; undefined: no swap while it was slow. */
function detection({ swaps }: Run): number | undefined {
  const found = swaps.find(({ to, second }) => to === 'b' && second >= SLOW_FROM_S);
  return found === undefined || found.second > SLOW_TO_S ? undefined : found.second - SLOW_FROM_S;
}

/** Seconds from the end of the slowdown to the swap back; undefined: it never happened. */
function failback(run: Run): number | undefined {
  if (detection(run) === undefined) return undefined;
  const found = run.swaps.find(({ to, second }) => to === 'a' && second >= SLOW_TO_S);
  return found === undefined ? undefined : found.second - SLOW_TO_S;
}

const known = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The values of failover.md §14 over some seeds. NaN: no result. */
export interface Summary {
  readonly seeds: number;
  readonly swaps: { readonly mean: number; readonly min: number; readonly max: number };
  readonly detection: { readonly mean: number; readonly max: number; readonly found: number };
  readonly failback: { readonly mean: number; readonly max: number };
  readonly slowPercent: number;
  readonly errorPercent: number;
  readonly runs: readonly Run[];
}

export interface Trial extends Omit<Workload, 'index'> {
  readonly seeds: number;
  /** Infinity: no probes. */
  readonly probeEveryS: number;
  readonly policy: () => Policy;
}

export function summarise({ seeds, probeEveryS, policy, ...workload }: Trial): Summary {
  const runs = Array.from({ length: seeds }, (_, at) =>
    simulate({ ...workload, index: at + 1 }, policy(), probeEveryS),
  );
  const counts = runs.map(({ swaps }) => swaps.length);
  const [detections, failbacks] = [known(runs.map(detection)), known(runs.map(failback))];
  return {
    seeds,
    swaps: { mean: mean(counts), min: Math.min(...counts), max: Math.max(...counts) },
    detection: { mean: mean(detections), max: Math.max(...detections), found: detections.length },
    failback: { mean: mean(failbacks), max: Math.max(...failbacks) },
    slowPercent: 100 * mean(runs.map(({ slow }) => slow.toA / Math.max(1, slow.all))),
    errorPercent: 100 * mean(runs.map(({ requests, failed }) => failed / Math.max(1, requests))),
    runs,
  };
}
