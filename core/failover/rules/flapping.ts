import { failoverEvent } from '../events.ts';
import { MAX_HISTORY } from '../record-swap.ts';
import { NO_STREAKS, type Answer } from './answer.ts';
import { comparable, fastest, type Ranked } from './candidates.ts';
import { automaticSwap, isWithinHour } from './hold.ts';
import type { Situation } from './situation.ts';

const FREEZE_MS = 3_600_000;

/** Whether one more automatic swap would be too many. A history full of one hour's swaps may have lost some. */
export function isCapReached({ status, config, now }: Situation): boolean {
  const recent = status.history.filter(({ at }) => isWithinHour(at, now));
  const automatic = recent.filter(({ reason }) => reason !== 'manual').length;
  return automatic >= config.dwell.maxSwapsPerHour || recent.length >= MAX_HISTORY;
}

/** The usable provider with the lowest latency, if that is lower than that of the active one. */
function place(situation: Situation): Ranked | undefined {
  const { p50Ms } = situation;
  if (p50Ms === null) return undefined;
  const found = fastest(comparable(situation), 0);
  return found !== undefined && found.p50Ms < p50Ms ? found : undefined;
}

/** Rule 6: instead of one swap too many, an hour on the fastest provider. A manual swap ends it. */
export function freeze(situation: Situation): Answer {
  const until = situation.now + FREEZE_MS;
  const to = place(situation)?.provider;
  const moved =
    to === undefined
      ? { status: { ...situation.status, ramp: null }, events: [] }
      : automaticSwap(situation, { to, reason: 'latency', rule: 'flapping' });
  const { activeProvider } = moved.status;
  const note = `Too many swaps in one hour: "${activeProvider}" stays for an hour unless it fails. A manual swap ends that.`;
  return {
    decision: { kind: 'freeze', rule: 'flapping', until },
    status: { ...moved.status, frozen: { until, reason: 'flapping' } },
    events: [...moved.events, failoverEvent('Warning', 'FailoverFrozen', note)],
    streaks: NO_STREAKS,
  };
}
