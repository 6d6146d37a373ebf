import { editDistance } from '../manifest/nearest.ts';

/** Names of organisations that nobody can claim (trust.md §8.1). */
const RESERVED: ReadonlySet<string> = new Set([
  'orb',
  'orbs',
  'official',
  'admin',
  'root',
  'system',
  'kube',
  'kubernetes',
  'platform',
  'api',
  'www',
  'test',
]);

/** Names with this prefix belong to accounts of a code host, and need a proof of their own. */
const RESERVED_PREFIX = 'gh-';

export const isReservedOrg = (org: string): boolean => RESERVED.has(org) || org.startsWith(RESERVED_PREFIX);

/** How a name looks: letters that are read as each other become the same. */
const skeletonOf = (org: string): string =>
  org.replaceAll('-', '').replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');

/** Shorter names differ by one letter often enough without an intent. */
const SHORTEST_COMPARED = 5;

/** Whether people may take one name for the other (trust.md §8.1). */
export const isConfusable = (org: string, other: string): boolean =>
  org !== other &&
  (skeletonOf(org) === skeletonOf(other) || (org.length >= SHORTEST_COMPARED && editDistance(org, other) === 1));
