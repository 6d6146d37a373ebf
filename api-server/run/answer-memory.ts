import type { SharedPlaces } from '../../core/fair-share/shared-places.ts';

/** The memory that one attempt has for a large answer. */
export interface AnswerMemory {
  /** @returns false: the process, or the tenant's part of it, has no more */
  readonly hold: (bytes: number) => boolean;
  /** Gives all of it back. */
  readonly free: () => void;
}

/**
 * Memory for an answer out of what the large answers of all tenants share. Without this bound, 192 answers of 4 MiB that
 * stall before their last byte would fill a pod.
 */
export function answerMemory(shared: SharedPlaces, tenant: string): AnswerMemory {
  let held = 0;
  const hold = (bytes: number): boolean => {
    const has = shared.take(tenant, bytes);
    if (has) held += bytes;
    return has;
  };
  const free = (): void => {
    if (held > 0) shared.giveBack(tenant, held);
    held = 0;
  };
  return { hold, free };
}
