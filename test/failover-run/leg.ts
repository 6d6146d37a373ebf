import type { PrometheusMode } from '../../adapters/prometheus/expressions.ts';
import type { SwapRecord } from '../../core/failover/types.ts';
import { at } from '../../hack/control-plane/json.ts';
import { untilBreached } from './breach.ts';
import { kubectlOrb, statusOf } from './command-line.ts';
import { CONSECUTIVE, FALLBACK, INTERVAL_MS, NAMESPACE, ORBS, PRIMARY, type CalledOrb } from './orbs.ts';
import { outage } from './outage.ts';
import { allOn, checkFast, letTimePass, runsOf, until, type Stage } from './stage.ts';

/** Slow to healed and back, once. */
export interface CycleOptions {
  readonly mode: PrometheusMode;
  /** 0: Prometheus stays. */
  readonly outageMs: number;
}

/** What one Orb took. */
export interface Detection {
  readonly mode: PrometheusMode;
  readonly orb: string;
  /** From the first slow answer until Prometheus says so. */
  readonly seenMs: number;
  /** From the third evaluation that could say so to the first run on the new provider. */
  readonly confirmedToRunMs: number;
  /** From the status that says so to that run. */
  readonly writtenToRunMs: number;
  /** From the first slow answer until no run starts at the slow provider. */
  readonly slowToSwapMs: number;
}

// Half of what a swap is judged on at its way back: five minutes of the primary must be mostly good ones.
const WELL_MS = 125_000;
const SLOW_MS = 1500;
const USUAL_MS = 60;
const BREACH_MS = 60_000;
const SWAP_MS = 240_000;
const BACK_MS = 480_000;
const SETTLE_MS = 20_000;
const BOUND_MS = INTERVAL_MS + 2000;

/** A run that was asked for takes a moment until its provider is chosen. */
const MOMENT_MS = 500;

/** The first write that sends runs to the other provider: a swap, or the first step of a trial. */
const writtenAt = ({ orbs }: Stage, { name }: CalledOrb, from: number): number =>
  Math.min(orbs.rampSince(name, from) ?? Infinity, newSwaps(orbs.swapsOf(name), from)[0]?.at ?? Infinity);

const newSwaps = (swaps: readonly SwapRecord[], from: number): readonly SwapRecord[] =>
  swaps.filter((swap) => swap.at >= from);

function detect(
  stage: Stage,
  orb: CalledOrb,
  mode: PrometheusMode,
  times: { readonly slow: number; readonly breach: number },
): Detection {
  const first = runsOf(stage, orb, times.slow).find(({ provider }) => provider === FALLBACK)?.at ?? Infinity;
  // No evaluation before the breach says so: the streak is complete at the earliest after two more intervals.
  const confirmed = times.breach + (CONSECUTIVE - 1) * INTERVAL_MS;
  const swap = newSwaps(stage.orbs.swapsOf(orb.name), times.slow)[0];
  const seen: Detection = {
    mode,
    orb: orb.name,
    seenMs: times.breach - times.slow,
    confirmedToRunMs: first - confirmed,
    writtenToRunMs: first - writtenAt(stage, orb, times.slow),
    slowToSwapMs: (swap?.at ?? Infinity) - times.slow,
  };
  stage.journal.check(
    `${orb.name}: from breach confirmed to the first run on ${FALLBACK} ≤ one interval + 2 s`,
    seen.confirmedToRunMs <= BOUND_MS,
    `${(seen.confirmedToRunMs / 1000).toFixed(1)} s (of them ${(seen.writtenToRunMs / 1000).toFixed(1)} s from the write)`,
  );
  return seen;
}

async function checkStatus({ world, journal }: Stage, orb: CalledOrb): Promise<void> {
  const status = await statusOf(world, orb);
  const seen = ['active_provider', 'state', 'reason'].map((name) => at(status, name));
  journal.check(`${orb.name}: the status says so`, seen.join(' ') === 'beta failed_over latency', JSON.stringify(seen));
  const why = at(status, 'decision', 'why');
  const fresh = at(status, 'metrics', 'state');
  journal.check(
    `${orb.name}: the status has the metrics of the operator`,
    fresh === 'fresh' && typeof why === 'string',
    `${String(fresh)}: ${String(why)}`,
  );
  const { code, stdout, stderr } = await kubectlOrb(world, 'status', orb.orbId, '--namespace', NAMESPACE);
  const isExplained = code === 0 && /active +beta: used in place of the primary, since .* \(latency\)/.test(stdout);
  journal.check(`${orb.name}: kubectl orb status explains it`, isExplained, (stdout || stderr).split('\n')[2] ?? '');
  const row = await world.team.kubectl('get', 'orb', orb.name, '--no-headers');
  journal.check(
    `${orb.name}: kubectl get orb shows provider, since, reason`,
    /^\S+ +beta +\S+s +latency +True /.test(row),
    row.trim().replaceAll(/ +/g, ' '),
  );
}

function checkSwaps({ orbs, journal }: Stage, orb: CalledOrb, from: number): void {
  const made = newSwaps(orbs.swapsOf(orb.name), from);
  const text = made.map(({ from: left, to, reason, rule }) => `${left}→${to} ${reason} ${rule}`).join(', ');
  const wanted = `${PRIMARY}→${FALLBACK} latency ${orb.rule}, ${FALLBACK}→${PRIMARY} failback failback`;
  journal.check(`${orb.name}: one swap and one failback`, text === wanted, text);
}

async function slowDown(stage: Stage, mode: PrometheusMode): Promise<readonly Detection[]> {
  const { world, journal } = stage;
  world.providers[PRIMARY].take(SLOW_MS);
  const slow = Date.now();
  journal.record(`${PRIMARY} is slow: ${SLOW_MS} ms`);
  const breaching = ORBS.map(async (orb) => {
    const breach = await untilBreached(world.prometheusUrl, { orb, mode }, BREACH_MS);
    journal.record(`p95 over the limit, says Prometheus`, orb.name, breach);
    return { orb, breach };
  });
  await until(stage, `both Orbs on ${FALLBACK}`, SWAP_MS, () => allOn(stage, FALLBACK));
  await letTimePass(stage, MOMENT_MS);
  const fastFrom = Date.now();
  const breaches = await Promise.all(breaching);
  const found = breaches.map(({ orb, breach }) => detect(stage, orb, mode, { slow, breach }));
  await letTimePass(stage, SETTLE_MS);
  checkFast(stage, 'callers are fast again', fastFrom, FALLBACK);
  for (const orb of ORBS) await checkStatus(stage, orb);
  return found;
}

/** The operator runs already. Slow provider → swap → heal → (Prometheus away) → ramp → primary. */
export async function runCycle(stage: Stage, { mode, outageMs }: CycleOptions): Promise<readonly Detection[]> {
  const { world, journal } = stage;
  journal.record(`the operator asks Prometheus by ${mode}`);
  const began = Date.now();
  await until(stage, `both Orbs on ${PRIMARY}`, BREACH_MS, () => allOn(stage, PRIMARY));
  await letTimePass(stage, WELL_MS);
  checkFast(stage, 'callers are fast', began + SETTLE_MS, PRIMARY);
  const found = await slowDown(stage, mode);
  world.providers[PRIMARY].take(USUAL_MS);
  journal.record(`${PRIMARY} is well again`);
  if (outageMs > 0) await outage(stage, outageMs);
  await until(stage, `both Orbs back on ${PRIMARY}`, BACK_MS, () => allOn(stage, PRIMARY));
  await letTimePass(stage, MOMENT_MS);
  const backFrom = Date.now();
  await letTimePass(stage, SETTLE_MS);
  checkFast(stage, 'callers are fast on the primary', backFrom, PRIMARY);
  for (const orb of ORBS) checkSwaps(stage, orb, began);
  return found;
}
