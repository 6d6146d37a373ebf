import { rulesPolicy, simulatedConfig } from '../../simulation/rules-policy.ts';
import { summarise, type Summary } from '../../simulation/summary.ts';
import { blip, draws, slowdown, tie, type Events } from '../../simulation/workload.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';
import { inTimedWorld, swapsOf } from '../timed-world.ts';

const SEEDS = 40;

interface Workload {
  readonly events: Events;
  readonly isProbed?: boolean;
}

/** Three hours of one workload at 1 run a second, 40 times. */
function simulated({ events, isProbed = true }: Workload): Summary {
  const config = isProbed
    ? simulatedConfig()
    : simulatedConfig({ failback: { ramp: [10, 50, 100], ramp_step: '60s' }, probe: { mode: 'none' } });
  const probeEveryS = isProbed ? 30 : Infinity;
  return summarise({ rps: 1, sigma: 0.5, seeds: SEEDS, probeEveryS, events, policy: () => rulesPolicy(config) });
}

const runsWith = ({ runs }: Summary, swaps: string): number =>
  runs.filter((run) => run.swaps.map(({ to }) => to).join(' ') === swaps).length;

function slowProbed(): Promise<Result> {
  const checks = new Checks();
  const summary = simulated({ events: slowdown });
  checks.atLeast('seeds with one swap and one failback', runsWith(summary, 'b a'), SEEDS);
  checks.atMost('detection, mean s', summary.detection.mean, 100);
  checks.atMost('detection, longest s', summary.detection.max, 120);
  checks.atMost('failback, mean s', summary.failback.mean, 400);
  return Promise.resolve(checks.result());
}

function slowTried(): Promise<Result> {
  const checks = new Checks();
  const summary = simulated({ events: slowdown, isProbed: false });
  checks.atLeast('seeds with one swap and one failback', runsWith(summary, 'b a'), SEEDS);
  checks.atMost('detection, mean s', summary.detection.mean, 210);
  checks.atMost('failback, mean s', summary.failback.mean, 430);
  return Promise.resolve(checks.result());
}

/** The slowdown of the workload begins at minute 30; before it a baseline of 50 runs, five minutes old, is enough. */
const SKIPPED_S = 23 * 60;
const SLOW_FROM_S = 30 * 60 - SKIPPED_S;
const LENGTH_S = 33 * 60;
/** Longest time from the slowdown to the swap: with probes, and by a trial of real requests (failover.md §14). */
const [PROBED_S, TRIED_S] = [120, 400];

/** One seed of the slowdown through runtime, breaker, prober, counters and loop, with the ramp as it ships. */
async function throughThePlatform(
  isReal: boolean,
  longestS: number,
  swap: Readonly<Record<string, unknown>> = {},
): Promise<Result> {
  const checks = new Checks();
  const { request } = draws({ rps: 1, sigma: 0.5, index: 1, events: slowdown });
  const answers = (name: 'a' | 'b') => (second: number) => ({ status: 200, ms: request(name, second + SKIPPED_S).ms });
  const options = {
    providers: { a: answers('a'), b: answers('b') },
    swap: { strategy: 'latency', ...swap },
    probesAreRuns: true,
  };
  await inTimedWorld(isReal, options, async (world) => {
    await world.pass(LENGTH_S);
    const swaps = swapsOf(world);
    checks.equal(
      'swaps',
      swaps.map(([, text]) => text),
      ['a>b latency', 'b>a failback'],
    );
    checks.atMost('s from the slowdown to the swap', (swaps[0]?.[0] ?? Infinity) - SLOW_FROM_S, longestS);
    for (const name of ['a', 'b']) {
      const count = (of: readonly { readonly provider: string }[]): number =>
        of.filter(({ provider }) => provider === name).length;
      const answered = world.ran.filter(({ via }) => via === name).length;
      checks.equal(
        `requests to ${name} beside runs and probes`,
        count(world.called) - count(world.probed) - answered,
        0,
      );
    }
    checks.equal('runs that failed', world.ran.filter(({ status }) => status !== 200).length, 0);
  });
  return checks.result();
}

const noProbes = { probe: { mode: 'none' } };

export const s15: readonly Scenario[] = [
  { id: 'S15', title: '15 min at 5×: 40 seeds', kind: 'virtual-time', isLong: true, run: slowProbed },
  { id: 'S15', title: '15 min at 5×, without probes: 40 seeds', kind: 'virtual-time', isLong: true, run: slowTried },
  {
    id: 'S15',
    title: '15 min at 5×, through the whole platform',
    kind: 'virtual-time',
    run: () => throughThePlatform(false, PROBED_S),
  },
  {
    id: 'S15',
    title: '15 min at 5×, without probes, through the whole platform',
    kind: 'virtual-time',
    run: () => throughThePlatform(false, TRIED_S, noProbes),
  },
];

export const s15RealTime: readonly Scenario[] = [
  { id: 'S15', title: '15 min at 5× in real time', kind: 'real-time', run: () => throughThePlatform(true, PROBED_S) },
  {
    id: 'S15',
    title: '15 min at 5×, without probes, in real time',
    kind: 'real-time',
    run: () => throughThePlatform(true, TRIED_S, noProbes),
  },
];

/** @param least number of seeds without a swap */
function noSwap(events: Events, least: number): Promise<Result> {
  const checks = new Checks();
  checks.atLeast('seeds without a swap', runsWith(simulated({ events }), ''), least);
  return Promise.resolve(checks.result());
}

export const s16: Scenario = {
  id: 'S16',
  title: '20 s at 10×: 40 seeds',
  kind: 'virtual-time',
  isLong: true,
  run: () => noSwap(blip, 39),
};

export const s17: Scenario = {
  id: 'S17',
  title: '20 min at 1.3×, a tie with b: 40 seeds',
  kind: 'virtual-time',
  isLong: true,
  run: () => noSwap(tie, 40),
};
