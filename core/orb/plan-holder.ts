import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';
import { validVersionOf } from './valid-version.ts';

/** The `orb_id` that the spec of an Orb asks for, valid or not; undefined when it is no text. */
export function wantedOrbId(orb: KubeObject): string | undefined {
  const { orb_id: id } = specOf(orb);
  return typeof id === 'string' ? id : undefined;
}

/** What decides between Orbs of one namespace that claim the same id. */
export interface Rank {
  /** A valid version is known. An Orb without one holds its id only as long as nobody runs under it. */
  readonly isValid: boolean;
  /** Ms since epoch. */
  readonly createdAt: number;
  readonly name: string;
}

/** An Orb that claims an id. */
export interface Claim extends Rank {
  readonly orbId: string;
}

/**
 * Who holds an id, by operator and API alike (design.md §2): the oldest by creation, then by name, of those that have a valid
 * version; else of all. For sorting: the holder comes first.
 */
export function byRank(one: Rank, other: Rank): number {
  if (one.isValid !== other.isValid) return one.isValid ? -1 : 1;
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

/** @returns ms since epoch; 0 for an object that no API server made */
export function createdAtOf({ metadata }: KubeObject): number {
  const at = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(at) ? 0 : at;
}

/**
 * The one id that an Orb claims: that of this generation when it is valid, else of the last one that was. So a broken edit
 * neither takes an id from anybody nor gives its own up; before there was a valid one, the Orb asks for what it says.
 * @param isValid this generation is
 * @returns undefined when it says nothing that could be an id
 */
export function claimOf(orb: KubeObject, isValid: boolean): Claim | undefined {
  const last = isValid ? undefined : validVersionOf(orb);
  const orbId = last?.orbId ?? wantedOrbId(orb);
  const { name } = orb.metadata;
  return orbId === undefined
    ? undefined
    : { orbId, isValid: isValid || last !== undefined, createdAt: createdAtOf(orb), name };
}

/** Every id that an Orb may claim, whatever becomes of its manifest: where to look for it. */
export const claimable = (orb: KubeObject): ReadonlySet<string> =>
  new Set([validVersionOf(orb)?.orbId, wantedOrbId(orb)].filter((id) => id !== undefined));

/**
 * @param twins the other Orbs of the namespace that claim the same id
 * @returns who holds it when it is another one
 */
export const holderAmong = (claim: Claim, twins: readonly Claim[]): Claim | undefined =>
  twins.reduce<Claim | undefined>((best, twin) => (byRank(twin, best ?? claim) < 0 ? twin : best), undefined);
