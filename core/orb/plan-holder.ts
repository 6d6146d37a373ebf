import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';

/** The `orb_id` that an Orb asks for, valid or not; undefined when it is no text. */
export function wantedOrbId(orb: KubeObject): string | undefined {
  const { orb_id: id } = specOf(orb);
  return typeof id === 'string' ? id : undefined;
}

/** RFC 3339 of one server, in whole seconds and UTC: text sorts as time does. */
const ageOf = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';

const isOlder = (one: KubeObject, other: KubeObject): boolean =>
  ageOf(one) === ageOf(other) ? one.metadata.name < other.metadata.name : ageOf(one) < ageOf(other);

/**
 * Who holds the id that an Orb asks for: the oldest of its namespace by creation, then by name (design.md §2).
 * @param twins the other Orbs of the namespace that ask for the same id
 * @returns the holder when it is another one
 */
export const olderHolder = (orb: KubeObject, twins: readonly KubeObject[]): KubeObject | undefined =>
  twins
    .filter((twin) => twin.metadata.name !== orb.metadata.name && isOlder(twin, orb))
    .reduce<KubeObject | undefined>((oldest, twin) => (oldest && isOlder(oldest, twin) ? oldest : twin), undefined);
