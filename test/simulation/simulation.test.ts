import { expect } from 'chai';
import type { SwapConfig } from '../../crds/manifest.ts';
import { lowestP95 } from './naive-policy.ts';
import { ROWS, runRow } from './rows.ts';
import { rulesPolicy, simulatedConfig } from './rules-policy.ts';
import { summarise, type Summary, type Trial } from './summary.ts';
import { all, blip, lateStandby, nothing, outage, slowdown, squareWave, tie, type Events } from './workload.ts';

interface Gate {
  readonly swaps: number;
  readonly detection?: number;
  readonly failback?: number;
  readonly found?: number;
}

// In the order of ROWS; the gate of the last row comes from 40 seeds.
const GATES: readonly Gate[] = [
  { swaps: 4.3, detection: 100, failback: 400 },
  { swaps: 5, found: 38 },
  { swaps: 5, detection: 130 },
  { swaps: 7, found: 34 },
  { swaps: 4.2 },
  { swaps: 4.3, detection: 210, failback: 430, found: 40 },
];

const rules = (trial: Partial<Trial>, swap: SwapConfig = {}): Summary =>
  summarise({
    rps: 1,
    sigma: 0.5,
    seeds: 40,
    probeEveryS: 30,
    events: all,
    policy: () => rulesPolicy(simulatedConfig(swap)),
    ...trial,
  });
const runsWith = (swaps: number, { runs }: Summary): number => runs.filter((run) => run.swaps.length === swaps).length;

describe('the rules over three hours of traffic (failover.md §14)', () => {
  for (const [index, row] of ROWS.entries()) {
    it(`stay within the gates at ${row.title}`, () => {
      const gate = GATES[index] ?? { swaps: 0 };
      const { swaps, detection, failback } = runRow(row);
      expect(swaps.mean).to.be.at.most(gate.swaps);
      expect(detection.found).to.be.at.least(gate.found ?? 0);
      expect(detection.mean).to.be.at.most(gate.detection ?? Infinity);
      expect(failback.mean).to.be.at.most(gate.failback ?? Infinity);
    });
  }

  const single: readonly [string, Events, Partial<Trial>, number, number][] = [
    ['a slowdown is left and come back from', slowdown, {}, 2, 40],
    ['a blip of 20 seconds is none', blip, {}, 0, 39],
    ['a tie is none', tie, {}, 0, 40],
    ['a tie is none with latencies that scatter', tie, { sigma: 1 }, 0, 37],
    ['an outage is left and come back from', outage, {}, 2, 40],
    ['nothing is nothing', nothing, {}, 0, 40],
    // The first 90 minutes of `tie` equal those of `nothing`: the same three seeds swap in both.
    ['nothing is nothing with latencies that scatter', nothing, { sigma: 1 }, 0, 37],
    ['nothing is nothing with little traffic', nothing, { rps: 0.1 }, 0, 40],
  ];
  for (const [why, events, trial, swaps, least] of single) {
    it(`${why}: ${swaps} swaps in ${least} of 40`, () => {
      expect(runsWith(swaps, rules({ events, ...trial }))).to.be.at.least(least);
    });
  }

  const waves: readonly [number, number][] = [
    [2, 2],
    [4, 2],
    [8, 4],
    [15, 6],
  ];
  for (const [minutes, most] of waves) {
    it(`follow a square wave of ${minutes} minutes with at most ${most} swaps`, () => {
      expect(rules({ events: squareWave(minutes), seeds: 10 }).swaps.max).to.be.at.most(most);
    });
  }
});

/** The number of ten runs that swap within five minutes after the standby has recovered. */
const usedLate = (keepsBaseline: boolean): number =>
  rules({
    seeds: 10,
    events: lateStandby,
    policy: () => rulesPolicy(simulatedConfig(), keepsBaseline),
  }).runs.filter(({ swaps }) => swaps.some(({ second }) => second >= 42 * 60 && second <= 47 * 60)).length;

describe('what goes wrong without each part (failover.md §14)', () => {
  const seeds = 10;

  it('unknown latency as 0: swaps all the time', () => {
    expect(rules({ seeds, policy: () => lowestP95(0) }).swaps.mean).to.be.at.least(30);
  });

  it('unknown latency as infinite: never swaps', () => {
    const { swaps, detection } = rules({ seeds, policy: () => lowestP95(Infinity) });
    expect([swaps.max, detection.found]).to.deep.equal([0, 0]);
  });

  it('one slow evaluation instead of three: earlier, and not fewer swaps', () => {
    const [one, three] = [rules({ seeds }, { latency: { consecutive: 1 } }), rules({ seeds })];
    expect(one.detection.mean).to.be.below(three.detection.mean);
    expect(one.swaps.mean).to.be.at.least(three.swaps.mean);
  });

  it('a window of five minutes alone: later', () => {
    const [long, short] = [rules({ seeds }, { latency: { windows: ['5m'] } }), rules({ seeds })];
    expect(long.detection.mean).to.be.above(short.detection.mean + 30);
  });

  it('a fixed window of two minutes with little traffic: a slow provider is not noticed', () => {
    const fixed = rules({ seeds, rps: 0.1 }, { latency: { windows: ['2m'], min_samples: 20 } });
    expect(fixed.detection.found).to.be.at.most(1);
    expect(rules({ seeds, rps: 0.1 }).detection.found).to.be.at.least(9);
  });

  it('too few probes for failback: the primary never comes back', () => {
    const failback = { ramp: [100], min_probe_samples: 8 };
    const rare = rules({ seeds, events: slowdown, probeEveryS: 60 }, { failback, probe: { interval: '60s' } });
    expect([rare.swaps.min, rare.swaps.max]).to.deep.equal([1, 1]);
  });

  it('without a baseline that is kept: a standby that recovers late is hardly ever used', () => {
    expect(usedLate(true)).to.be.at.least(8);
    expect(usedLate(false)).to.equal(0);
  });
});
