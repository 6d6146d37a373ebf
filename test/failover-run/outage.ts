import { at } from '../../hack/control-plane/json.ts';
import { statusOf } from './command-line.ts';
import { ORBS } from './orbs.ts';
import type { OrbWatch } from './watch-orbs.ts';
import { checkFast, letTimePass, until, type Stage } from './stage.ts';

// failover.md §13, S18.
const UNAVAILABLE_MS = { from: 300_000, to: 330_000 };
const RECOVERED_MS = 30_000;
const SETTLED_MS = 60_000;

const swaps = ({ orbs }: Stage): number => ORBS.reduce((sum, { name }) => sum + orbs.swapsOf(name).length, 0);

const isUnavailableInTime = (changes: OrbWatch['availability'], stoppedAt: number): boolean => {
  const [first, ...more] = changes;
  const after = (first?.at ?? 0) - stoppedAt;
  return more.length === 0 && first?.status === 'False' && after >= UNAVAILABLE_MS.from && after <= UNAVAILABLE_MS.to;
};

/** `MetricsAvailable` as it became in that time. */
function checkAvailability({ orbs, journal }: Stage, stoppedAt: number, outageMs: number): void {
  const isLong = outageMs > UNAVAILABLE_MS.to;
  for (const { name } of ORBS) {
    const changes = orbs.availability.filter((change) => change.orb === name && change.at >= stoppedAt);
    const seen = changes.map(({ status, at: when }) => `${status} after ${Math.round((when - stoppedAt) / 1000)} s`);
    journal.check(
      `${name}: ${isLong ? 'MetricsAvailable=False after 5:00 to 5:30' : 'MetricsAvailable stays'}`,
      isLong ? isUnavailableInTime(changes, stoppedAt) : changes.length === 0,
      seen.join(', ') || 'no change',
    );
  }
}

/**
 * Prometheus is stopped while the fallback is used and the primary is well again: only metrics are missing for the way back.
 * Nothing may be swapped, and the callers may not notice.
 */
export async function outage(stage: Stage, outageMs: number): Promise<void> {
  const { world, journal, orbs } = stage;
  const before = swaps(stage);
  journal.record('Prometheus is stopped');
  await world.stopPrometheus();
  const stoppedAt = Date.now();
  await letTimePass(stage, Math.min(SETTLED_MS, outageMs / 2));
  for (const orb of ORBS) {
    const status = await statusOf(world, orb);
    const seen = [at(status, 'active_provider'), at(status, 'metrics', 'state'), at(status, 'decision', 'rule')];
    journal.check(
      `${orb.name}: the status is answered without metrics`,
      seen.join(' ') === 'beta unusable ',
      JSON.stringify(seen),
    );
  }
  await letTimePass(stage, stoppedAt + outageMs - Date.now());
  const made = swaps(stage) - before;
  const ramps = ORBS.filter(({ name }) => orbs.rampSince(name, stoppedAt) !== undefined).length;
  journal.check(
    `0 swaps and 0 ramps in ${outageMs / 60_000} minutes without Prometheus`,
    made + ramps === 0,
    `${made} swaps, ${ramps} ramps`,
  );
  checkFast(stage, 'executions are unaffected while Prometheus is away', stoppedAt, 'beta');
  checkAvailability(stage, stoppedAt, outageMs);
  await world.startPrometheus();
  const startedAt = Date.now();
  journal.record('Prometheus is back');
  const isAvailable = (): boolean => ORBS.every(({ name }) => orbs.of(name).metricsAvailable === 'True');
  await until(stage, 'MetricsAvailable=True', 2 * RECOVERED_MS, isAvailable);
  const took = Date.now() - startedAt;
  journal.check(
    'MetricsAvailable=True within 30 s after it is back',
    took <= RECOVERED_MS,
    `${Math.round(took / 1000)} s`,
  );
}
