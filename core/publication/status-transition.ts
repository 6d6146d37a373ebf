import type { OrbStatus } from './listed-orb.ts';

/** States that a publisher moves between (trust.md §8.6). A yanked version stays yanked. */
const BY_PUBLISHER: Readonly<Record<OrbStatus, readonly OrbStatus[]>> = {
  active: ['deprecated', 'yanked'],
  deprecated: ['active', 'yanked'],
  yanked: [],
  suspended: [],
};

/** Whether a version of this status can have no certificate in force (trust.md §8.6). */
export const isTakenOff = (status: OrbStatus): boolean => status === 'yanked' || status === 'suspended';

/**
 * Whether a status may change like this (trust.md §8.6). The platform suspends any version. The end of a suspension gives
 * back the status before it, so a yanked version stays yanked.
 * @param isAdmin the caller acts for the platform
 * @param before the status before the suspension; without meaning for another `from`
 */
export function mayChangeStatus(from: OrbStatus, to: OrbStatus, isAdmin: boolean, before: OrbStatus): boolean {
  if (from === 'suspended') return isAdmin && to === before;
  if (to === 'suspended') return isAdmin;
  return BY_PUBLISHER[from].includes(to);
}
