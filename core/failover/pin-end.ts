import type { FailoverPin, FailoverStatus } from './types.ts';

// failover.md §8: pins always end; for a permanent change, set `swap_config.primary`.
export const MAX_PIN_HOURS = 168;
const MAX_PIN_MS = MAX_PIN_HOURS * 3_600_000;

type PinState = FailoverStatus['pin'];

/**
 * When a pin ends, ms since epoch: at its `expiresAt`, but at most 168 hours after it was seen first. A pin that was
 * reported as ended stays ended: a clock that is set back must not start it again. So a later end needs another id.
 * @param state pin state of the status; undefined when no status was written yet
 */
export function pinEnd({ id, expiresAt }: FailoverPin, state: PinState | undefined): number {
  if (state?.expiredId === id) return 0;
  const seen = state?.firstSeen;
  return seen?.id === id ? Math.min(expiresAt, seen.at + MAX_PIN_MS) : expiresAt;
}

/** Whether a pin has no further effect: a `once` pin that was followed, or a soft pin whose provider was broken. */
export const isPinSpent = ({ id }: FailoverPin, state: PinState | undefined): boolean =>
  state !== undefined && (state.handledId === id || state.overriddenId === id);
