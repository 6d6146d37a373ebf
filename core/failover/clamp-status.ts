import type { FailoverStatus } from './types.ts';

const FREEZE_MS = 3_600_000;
// failover.md §4: the largest `dwell.max`.
const MAX_DWELL_MS = 86_400_000;

/**
 * Times of the status that are further ahead than any rule sets them: a clock that was wrong, or a hand. What is as it can be
 * stays as it is (failover.md §5.2).
 * @param dwellMaxMs `dwell.max`
 */
export function clampStatus(status: FailoverStatus, now: number, dwellMaxMs: number): FailoverStatus {
  const latest = now + Math.floor(1.5 * (dwellMaxMs >= 0 && dwellMaxMs <= MAX_DWELL_MS ? dwellMaxMs : MAX_DWELL_MS));
  const { holds, dwellUntil, frozen, ramp } = status;
  return {
    ...status,
    holds: holds.map((hold) => (hold.until > latest ? { ...hold, until: latest } : hold)),
    dwellUntil: dwellUntil === null ? null : Math.min(dwellUntil, latest),
    frozen: frozen === null ? null : { ...frozen, until: Math.min(frozen.until, now + FREEZE_MS) },
    ramp: ramp === null ? null : { ...ramp, stepStartedAt: Math.min(ramp.stepStartedAt, now) },
  };
}
