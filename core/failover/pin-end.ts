import type { FailoverPin, FailoverStatus } from './types.ts';

// failover.md §8: no endless pins; to stay for good, change `swap_config.primary`.
export const MAX_PIN_HOURS = 168;
const MAX_PIN_MS = MAX_PIN_HOURS * 3_600_000;

type PinState = FailoverStatus['pin'];

/**
 * When a pin ends, ms since epoch: at the latest 168 hours after it was seen first, and as it says until it was seen. What was
 * told to have ended is over for good: a clock that is set back must not begin it again, so a later end takes another id.
 * @param state of the status; undefined: nothing was written yet
 */
export function pinEnd({ id, expiresAt }: FailoverPin, state: PinState | undefined): number {
  if (state?.expiredId === id) return 0;
  const seen = state?.firstSeen;
  return seen?.id === id ? Math.min(expiresAt, seen.at + MAX_PIN_MS) : expiresAt;
}

/** Nothing more comes of it: a `once` pin that was followed, or a soft one that a broken provider made leave. */
export const isPinSpent = ({ id }: FailoverPin, state: PinState | undefined): boolean =>
  state !== undefined && (state.handledId === id || state.overriddenId === id);
