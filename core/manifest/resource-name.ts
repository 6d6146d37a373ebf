import { createHash } from 'node:crypto';
import type { OrbId } from './orb-id.ts';

const MAX_LENGTH = 253;
const SUFFIX_HEX = 8;
// A DNS subdomain: each part between dots has a letter or digit at both ends.
const HELD = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Name of the Orb resource that holds a bare manifest (design.md §2, manifest loader): `{org}.{name}-{semver}` in lower
 * case. Characters that a resource name can't hold are replaced; then a suffix of a digest keeps the names different.
 */
export function resourceName(orbId: OrbId): string {
  const wanted = orbId.replace('@', '-');
  if (HELD.test(wanted) && wanted.length <= MAX_LENGTH) return wanted;
  const name = wanted
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replaceAll(/[.-]{2,}/g, '-');
  const suffix = createHash('sha256').update(orbId).digest('hex').slice(0, SUFFIX_HEX);
  const front = name.slice(0, MAX_LENGTH - SUFFIX_HEX - 1).replace(/[.-]+$/, '');
  return `${front}-${suffix}`;
}
