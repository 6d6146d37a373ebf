import { createHash } from 'node:crypto';
import type { OrbId } from './orb-id.ts';

const MAX_LENGTH = 253;
const SUFFIX_HEX = 8;

/**
 * Name of the Orb resource that holds a bare manifest (design.md §2, manifest loader): `{org}.{name}-{semver}` in lower
 * case. What a resource name can't hold is replaced, and a digest suffix keeps such names apart.
 */
export function resourceName(orbId: OrbId): string {
  const wanted = orbId.replace('@', '-');
  const name = wanted.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
  if (name === wanted && name.length <= MAX_LENGTH) return name;
  const suffix = createHash('sha256').update(orbId).digest('hex').slice(0, SUFFIX_HEX);
  return `${name.slice(0, MAX_LENGTH - SUFFIX_HEX - 1)}-${suffix}`;
}
