import { Checks, type Result, type Scenario } from '../scenario.ts';
import { FAULTS, startScriptedPrometheus, type Fault } from '../scripted-prometheus.ts';
import { inTimedWorld, swapsOf, type TimedWorld } from '../timed-world.ts';

const MINUTE_S = 60;
const WELL_S = 2 * MINUTE_S;
const BROKEN_S = 30 * MINUTE_S;
/** A gap in the metrics that is longer than this is reported (failover.md §5.3, rule 1). */
const REPORT_S = 5 * MINUTE_S;

const isAvailable = ({ conditions }: TimedWorld['evaluated'][number]): string | undefined =>
  conditions.find(({ type }) => type === 'MetricsAvailable')?.status;

/** Second of the first evaluation from a moment on whose condition has this status. */
const firstAt = ({ evaluated }: TimedWorld, from: number, status: string): number =>
  evaluated.find((one) => one.second >= from && isAvailable(one) === status)?.second ?? Infinity;

/** a is five times slower from the moment when the metrics are lost: with metrics there would be a swap. */
async function broken(fault: Fault, isReal: boolean): Promise<Result> {
  const checks = new Checks();
  const prometheus = await startScriptedPrometheus();
  const providers = {
    a: (second: number) => ({ status: 200, ms: second < WELL_S ? 150 : 750 }),
    b: () => ({ status: 200, ms: 190 }),
  };
  const options = {
    providers,
    probesAreRuns: true,
    swap: { strategy: 'latency', latency: { threshold_ms: 500 } },
    source: prometheus.sourceOf,
  };
  await inTimedWorld(isReal, options, async (world) => {
    await world.pass(WELL_S);
    checks.equal('metrics before', [...new Set(world.evaluated.map(({ metrics }) => metrics.state))].at(-1), 'fresh');
    const began = world.second;
    prometheus.fault = fault;
    await world.pass(BROKEN_S);
    const seen = world.evaluated.filter(({ second }) => second > began);
    checks.atLeast('evaluations', seen.length, 100);
    checks.equal('swaps', swapsOf(world), []);
    checks.equal('freezes', seen.filter(({ status }) => status.frozen !== null).length, 0);
    const reported = firstAt(world, began + 1, 'False') - began;
    checks.atLeast('s until MetricsAvailable=False', reported, REPORT_S);
    checks.atMost('s until MetricsAvailable=False', reported, REPORT_S + 30);
    prometheus.fault = undefined;
    const healed = world.second;
    await world.pass(MINUTE_S);
    checks.atMost('s until MetricsAvailable=True', firstAt(world, healed, 'True') - healed, 30);
    await world.pass(MINUTE_S / 2);
    checks.equal(
      'the swap that metrics allow',
      swapsOf(world).map(([, swap]) => swap),
      ['a>b latency'],
    );
    checks.equal('runs that failed', world.ran.filter(({ status }) => status !== 200).length, 0);
  });
  await prometheus.stop();
  return checks.result();
}

export const s18: readonly Scenario[] = FAULTS.map((fault) => ({
  id: 'S18',
  title: `Prometheus: ${fault}, 30 min`,
  kind: 'virtual-time',
  run: () => broken(fault, false),
}));

export const s18RealTime: readonly Scenario[] = FAULTS.map((fault) => ({
  id: 'S18',
  title: `Prometheus: ${fault}, 30 min in real time`,
  kind: 'real-time',
  run: () => broken(fault, true),
}));
