import type { RemoveStep } from '../../core/loader/removals.ts';

/** Allows the removal of an Orb only after its manifest was absent for a while and the folder did not change. */
export interface Absences {
  /**
   * @param stamp of the folder: while it changes, a missing file may still arrive
   * @returns steps that were in every call for at least a second, all with this stamp
   */
  readonly confirmed: (removes: readonly RemoveStep[], stamp: string) => readonly RemoveStep[];
}

// A volume is updated in two steps: `..data` first, then the links to new files. And a file is often replaced by a
// remove and a write.
const CONFIRM_MS = 1000;

const keyOf = ({ name, uid }: RemoveStep, stamp: string): string => JSON.stringify([name, uid, stamp]);

/** @param monotonic ms, never goes back */
export function createAbsences(monotonic: () => number): Absences {
  let since: ReadonlyMap<string, number> = new Map();
  return {
    confirmed: (removes, stamp) => {
      const now = monotonic();
      const before = since;
      since = new Map(removes.map((step) => [keyOf(step, stamp), before.get(keyOf(step, stamp)) ?? now] as const));
      return removes.filter((step) => now - (since.get(keyOf(step, stamp)) ?? now) >= CONFIRM_MS);
    },
  };
}
