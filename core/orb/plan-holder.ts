import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';
import { validVersionOf } from './valid-version.ts';

/** The `orb_id` in the spec of an Orb, valid or not; undefined when it is not a string. */
export function wantedOrbId(orb: KubeObject): string | undefined {
  const { orb_id: id } = specOf(orb);
  return typeof id === 'string' ? id : undefined;
}

/** The facts that decide between Orbs of one namespace that claim the same id. */
export interface ClaimRank {
  /** A valid version is known. An Orb without a valid version loses the id to any Orb that has one. */
  readonly isValid: boolean;
  /** Ms since epoch. */
  readonly createdAt: number;
  readonly name: string;
}

/** An Orb that claims an id. */
export interface Claim extends ClaimRank {
  readonly orbId: string;
}

/**
 * Order of Orbs that claim an id, for operator and API alike; the holder sorts first (design.md §2). Orbs with a valid
 * version come first, then the oldest by creation, then by name.
 */
export function byRank(one: ClaimRank, other: ClaimRank): number {
  if (one.isValid !== other.isValid) return one.isValid ? -1 : 1;
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

/** @returns ms since epoch; 0 for an object that the API server did not create */
export function createdAtOf({ metadata }: KubeObject): number {
  const at = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(at) ? 0 : at;
}

/**
 * The id that an Orb claims: that of this generation when it is valid, otherwise that of the last valid version. So a
 * broken edit neither takes an id from another Orb nor gives up its own. Before the first valid version, the Orb claims
 * the id in its spec.
 * @param isValid this generation is valid
 * @returns undefined when the spec holds nothing that could be an id
 */
export function claimOf(orb: KubeObject, isValid: boolean): Claim | undefined {
  const last = isValid ? undefined : validVersionOf(orb);
  const orbId = last?.orbId ?? wantedOrbId(orb);
  const { name } = orb.metadata;
  return orbId === undefined
    ? undefined
    : { orbId, isValid: isValid || last !== undefined, createdAt: createdAtOf(orb), name };
}

/** Every id that an Orb may claim, independent of its manifest's validity. Used to look up claims. */
export const claimableIds = (orb: KubeObject): ReadonlySet<string> =>
  new Set([validVersionOf(orb)?.orbId, wantedOrbId(orb)].filter((id) => id !== undefined));

/**
 * @param duplicates the other Orbs of the namespace that claim the same id
 * @returns the holder when it is another Orb
 */
export const holderAmong = (claim: Claim, duplicates: readonly Claim[]): Claim | undefined =>
  duplicates.reduce<Claim | undefined>(
    (best, duplicate) => (byRank(duplicate, best ?? claim) < 0 ? duplicate : best),
    undefined,
  );
