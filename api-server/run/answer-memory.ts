import type { ResponseMemory } from '../../adapters/egress/port.ts';
import type { AwaitedPlaces } from '../../core/fair-share/awaited-places.ts';
import type { Share } from '../../core/fair-share/share.ts';

/** The memory that one attempt has for a large answer. */
export interface AnswerMemory extends ResponseMemory {
  /** Gives all of it back. */
  readonly free: () => void;
}

/**
 * Memory for an answer out of what the large answers of all tenants share. Without this bound, 192 answers of 4 MiB that
 * stall before their last byte would fill a pod.
 */
export function answerMemory(shared: AwaitedPlaces, share: Share): AnswerMemory {
  const { tenant } = share;
  let held = 0;
  const hold = (bytes: number): boolean => {
    const has = shared.take(tenant, bytes);
    if (has) held += bytes;
    return has;
  };
  const wait = (bytes: number, granted: () => void): (() => void) =>
    shared.wait(share, bytes, () => {
      held += bytes;
      granted();
    });
  const free = (): void => {
    const bytes = held;
    held = 0;
    if (bytes > 0) shared.giveBack(tenant, bytes);
  };
  return { hold, wait, free };
}
