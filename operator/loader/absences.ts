import type { RemoveStep } from '../../core/loader/plan.ts';

/** Lets an Orb be removed only when its manifest has been gone for a while. */
export interface Absences {
  /** @returns those that were in every call for at least a second */
  readonly confirmed: (removes: readonly RemoveStep[]) => readonly RemoveStep[];
}

// A volume is swapped in two steps, ..data first and the links to new files after it, and a file is often replaced by
// a remove and a write: what is missing once may only be on its way.
const CONFIRM_MS = 1000;

/** @param monotonic ms, never goes back */
export function createAbsences(monotonic: () => number): Absences {
  let since = new Map<string, number>();
  return {
    confirmed: (removes) => {
      const now = monotonic();
      since = new Map(removes.map(({ name, uid }) => [`${name} ${uid}`, since.get(`${name} ${uid}`) ?? now] as const));
      return removes.filter(({ name, uid }) => now - (since.get(`${name} ${uid}`) ?? now) >= CONFIRM_MS);
    },
  };
}
