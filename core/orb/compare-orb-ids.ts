import type { OrbId } from '../manifest/orb-id.ts';
import { compareVersions } from '../release/semantic-version.ts';
import { nameOfId } from './invalid-source.ts';

/** Order of two versions of one Orb: the lower one first; by name when the names differ. */
export function compareOrbIds(one: OrbId, other: OrbId): number {
  const [a, b] = [nameOfId(one), nameOfId(other)];
  if (a !== b) return a < b ? -1 : 1;
  return compareVersions(one.slice(a.length + 1), other.slice(b.length + 1));
}
