import type { KubeError } from './port.ts';

/**
 * Whether a call may be repeated. `repeatable`: a second call finds or makes the same (reads, deletes with
 * preconditions). `applied`: like `repeatable`, for a write whose caller has a queue. For such a write, 500 without
 * `Retry-After` may be the answer for ever. This happens when the object is stored in a form that the server can't
 * merge, and must not hold a worker here (security.md S29). `once`: the call may have taken effect when no answer came,
 * so read first (creates, patches, updates).
 */
export type Repeat = 'repeatable' | 'applied' | 'once';

const MAX_REQUESTED = 10;
const MAX_OWN = 3;
const MAX_WAIT_MS = 60_000;
const JITTER = 0.2;
const BASE_MS = 500;
// 500 and 503 mean overload or a start; 504 means a timeout in the server or behind it.
const PASSING = [500, 502, 503, 504];

/** Waits so far, of the two kinds with separate bounds. */
export interface RetryCounts {
  readonly requested: number;
  readonly own: number;
}

/** The wait that a server asked for: at most 60 s, plus up to a fifth at random. */
export const retryAfterWaitMs = (retryAfterMs: number, random: () => number): number =>
  Math.min(retryAfterMs, MAX_WAIT_MS) * (1 + JITTER * random());

/**
 * A call answered with 429 was not executed, whatever it was. After any other answer the write may have taken effect.
 */
function mayRepeat({ status, retryAfterMs }: KubeError, repeat: Repeat): boolean {
  if (status === 429) return true;
  if (repeat === 'once') return false;
  if (status === 500 && repeat === 'applied') return retryAfterMs !== undefined;
  return status === 0 || PASSING.includes(status);
}

/**
 * The wait before the next try (operator.md A2). Follows `Retry-After` up to 10 times. Without it, repeatable calls get
 * full jitter up to 0.5 s, 1.5 s, 4.5 s.
 * @returns undefined when the call is not tried again: the error is the answer
 */
export function nextWait(
  error: KubeError,
  repeat: Repeat,
  { waits, random }: { readonly waits: RetryCounts; readonly random: () => number },
): { readonly ms: number; readonly waits: RetryCounts } | undefined {
  if (!mayRepeat(error, repeat)) return undefined;
  const { requested, own } = waits;
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined)
    return requested < MAX_REQUESTED
      ? { ms: retryAfterWaitMs(retryAfterMs, random), waits: { requested: requested + 1, own } }
      : undefined;
  if (repeat === 'once' || own >= MAX_OWN) return undefined;
  return { ms: random() * BASE_MS * 3 ** own, waits: { requested, own: own + 1 } };
}
