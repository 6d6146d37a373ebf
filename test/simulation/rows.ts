import { rulesPolicy, simulatedConfig } from './rules-policy.ts';
import { summarise, type Summary } from './summary.ts';
import { all } from './workload.ts';

/** One row of the first table of failover.md §14. */
interface Row {
  readonly title: string;
  readonly rps: number;
  readonly sigma: number;
  readonly seeds: number;
  readonly probed: boolean;
}

export const ROWS: readonly Row[] = [
  { title: '1 rps, σ 0.5', rps: 1, sigma: 0.5, seeds: 40, probed: true },
  { title: '1 rps, σ 1.0', rps: 1, sigma: 1, seeds: 40, probed: true },
  { title: '0.1 rps, σ 0.5', rps: 0.1, sigma: 0.5, seeds: 40, probed: true },
  { title: '0.1 rps, σ 1.0', rps: 0.1, sigma: 1, seeds: 40, probed: true },
  { title: '10 rps, σ 0.5', rps: 10, sigma: 0.5, seeds: 5, probed: true },
  { title: '1 rps, σ 0.5, no probes', rps: 1, sigma: 0.5, seeds: 40, probed: false },
];

/** Runs one row with the real rules. */
export function runRow({ rps, sigma, seeds, probed }: Row): Summary {
  const config = probed
    ? simulatedConfig()
    : simulatedConfig({ failback: { ramp: [10, 50, 100], ramp_step: '60s' }, probe: { mode: 'none' } });
  const probeEveryS = probed ? 30 : Infinity;
  return summarise({ rps, sigma, seeds, probeEveryS, events: all, policy: () => rulesPolicy(config) });
}
