import type { ResponseMemory } from '../../adapters/egress/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { AwaitedPlaces } from '../../core/fair-share/awaited-places.ts';
import type { Share } from '../../core/fair-share/share.ts';

/** The memory that one attempt has for a large answer. */
export interface AnswerMemory extends ResponseMemory {
  /** How long the attempt waited for it, ms: time in which its provider was not asked for more. */
  readonly waitedMs: () => number;
}

/**
 * Memory for an answer out of what the large answers of all tenants share. Without this bound, 192 answers of 4 MiB that
 * stall before their last byte would fill a pod.
 */
export function answerMemory(shared: AwaitedPlaces, share: Share, now: Clock['monotonic']): AnswerMemory {
  const { tenant } = share;
  let held = 0;
  let waitedMs = 0;
  const counted = (has: boolean, bytes: number): boolean => {
    if (has) held += bytes;
    return has;
  };
  const wait = (bytes: number, granted: () => void): (() => void) => {
    const began = now();
    return shared.wait(share, bytes, () => {
      waitedMs += now() - began;
      held += bytes;
      granted();
    });
  };
  const free = (): void => {
    const bytes = held;
    held = 0;
    if (bytes > 0) shared.giveBack(tenant, bytes);
  };
  return {
    hold: (bytes) => counted(shared.take(tenant, bytes), bytes),
    grow: (bytes) => counted(shared.takeMore(tenant, bytes), bytes),
    wait,
    free,
    waitedMs: () => waitedMs,
  };
}
