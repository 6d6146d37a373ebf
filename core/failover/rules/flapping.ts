import { failoverEvent } from '../events.ts';
import { MAX_HISTORY } from '../record-swap.ts';
import { NO_STREAKS, type Answer } from './answer.ts';
import { comparableStandbys, fastest, type Ranked } from './candidates.ts';
import { automaticSwap, isWithinHour } from './hold.ts';
import type { Situation } from './situation.ts';

const FREEZE_MS = 3_600_000;

/** Whether the limit of automatic swaps is reached. A full history of one hour counts too: it may have lost swaps. */
export function isCapReached({ status, config, now }: Situation): boolean {
  const recent = status.history.filter(({ at }) => isWithinHour(at, now));
  const automatic = recent.filter(({ reason }) => reason !== 'manual').length;
  return automatic >= config.dwell.maxSwapsPerHour || recent.length >= MAX_HISTORY;
}

/** The usable provider with the lowest latency, if this is lower than the latency of the active provider. */
function place(situation: Situation): Ranked | undefined {
  const { p50Ms } = situation;
  if (p50Ms === null) return undefined;
  const found = fastest(comparableStandbys(situation), 0);
  return found !== undefined && found.p50Ms < p50Ms ? found : undefined;
}

/** Rule 6: at the limit of swaps, the fastest provider becomes active for an hour. A manual swap ends the freeze. */
export function freeze(situation: Situation): Answer {
  const until = situation.now + FREEZE_MS;
  const to = place(situation)?.provider;
  const moved =
    to === undefined
      ? { status: { ...situation.status, ramp: null }, events: [] }
      : automaticSwap(situation, { to, reason: 'latency', rule: 'flapping' });
  const { activeProvider } = moved.status;
  const note = `Too many swaps in one hour: "${activeProvider}" stays active for an hour unless it fails. A manual swap ends the freeze.`;
  return {
    decision: { kind: 'freeze', rule: 'flapping', until },
    status: { ...moved.status, frozen: { until, reason: 'flapping' } },
    events: [...moved.events, failoverEvent('Warning', 'FailoverFrozen', note)],
    streaks: NO_STREAKS,
  };
}
