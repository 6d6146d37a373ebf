import { TIERS } from '../log-entry/entry-members.ts';
import { compareVersions, parseVersion } from '../release/semantic-version.ts';
import type { Tier } from '../reputation/criteria.ts';
import type { ListedOrb, OrbStatus } from './listed-orb.ts';

/** Orders of a list; ties are always by `orb_id`. */
export const SORTS = ['score', 'updated', 'name'] as const;

export type Sort = (typeof SORTS)[number];

/** Filters of `GET /marketplace/orbs` (trust.md §7); an absent one lets everything through. */
export interface ListQuery {
  readonly tiers?: readonly Tier[];
  readonly minTier?: Tier;
  /** Part of name or description, in any case. */
  readonly text?: string;
  /** A term, or a prefix that ends with a dot. */
  readonly capability?: string;
  readonly org?: string;
  readonly statuses: readonly OrbStatus[];
  /** ms since epoch. */
  readonly updatedSince?: number;
  /** Only the highest active version of each name. */
  readonly latest: boolean;
  readonly sort: Sort;
}

const folded = (text: string): string => text.toLowerCase();

const hasCapability = ({ capabilities }: ListedOrb, wanted: string): boolean =>
  capabilities.some((one) => one === wanted || (wanted.endsWith('.') && one.startsWith(wanted)));

type Test = (orb: ListedOrb) => boolean;

function testsOf({ tiers, minTier, text, capability, org, statuses, updatedSince }: ListQuery): readonly Test[] {
  const tests: Test[] = [({ status }) => statuses.includes(status)];
  if (tiers !== undefined) tests.push(({ standing }) => tiers.includes(standing.tier));
  if (minTier !== undefined) {
    const least = TIERS.indexOf(minTier);
    tests.push(({ standing }) => TIERS.indexOf(standing.tier) >= least);
  }
  if (text !== undefined) {
    const wanted = folded(text);
    tests.push(({ name, description }) => folded(name).includes(wanted) || folded(description).includes(wanted));
  }
  if (capability !== undefined) tests.push((orb) => hasCapability(orb, capability));
  if (org !== undefined) tests.push(({ publisher }) => publisher.org === org);
  if (updatedSince !== undefined) tests.push(({ updatedAt }) => updatedAt >= updatedSince);
  return tests;
}

const byId = (a: ListedOrb, b: ListedOrb): number => {
  if (a.orbId === b.orbId) return 0;
  return a.orbId < b.orbId ? -1 : 1;
};

const ORDERS: Readonly<Record<Sort, (a: ListedOrb, b: ListedOrb) => number>> = {
  score: (a, b) => b.standing.scoreBp - a.standing.scoreBp || byId(a, b),
  updated: (a, b) => b.updatedAt - a.updatedAt || byId(a, b),
  name: byId,
};

const isRelease = ({ version }: ListedOrb): boolean => parseVersion(version)?.prerelease.length === 0;

/** Whether `a` is shown rather than `b`: a release before any prerelease, then the higher version. */
function isNewer(a: ListedOrb, b: ListedOrb): boolean {
  if (isRelease(a) !== isRelease(b)) return isRelease(a);
  return compareVersions(a.version, b.version) > 0;
}

/** The highest active version of each name (trust.md §7): a prerelease only if there is no release. */
export function latestVersions(orbs: Iterable<ListedOrb>): readonly ListedOrb[] {
  const latest = new Map<string, ListedOrb>();
  for (const orb of orbs) {
    if (orb.status !== 'active') continue;
    const known = latest.get(orb.name);
    if (known === undefined || isNewer(orb, known)) latest.set(orb.name, orb);
  }
  return [...latest.values()];
}

/** The Orbs that a query asks for, in its order. */
export function selectOrbs(orbs: Iterable<ListedOrb>, query: ListQuery): readonly ListedOrb[] {
  const tests = testsOf(query);
  const among = query.latest ? latestVersions(orbs) : [...orbs];
  return among.filter((orb) => tests.every((test) => test(orb))).toSorted(ORDERS[query.sort]);
}
