import { isJsonObject } from '../json/json-value.ts';
import { createdAtOf } from '../orb/plan-holder.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';

/** The `orb_id` of a publication, which may be any text; undefined: it has none. */
export function publishedId(publication: KubeObject): string | undefined {
  const { manifest } = specOf(publication);
  const id = isJsonObject(manifest) ? manifest['orb_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Index `orb` of caches of publications: `namespace/orb_id`. */
export const PUBLICATION_INDEXES = {
  orb: (publication: KubeObject): readonly string[] => {
    const id = publishedId(publication);
    return id === undefined ? [] : [`${publication.metadata.namespace ?? ''}/${id}`];
  },
} as const;

/** Publications that may hold or lose the `orb_id` of this one. @param cache with `PUBLICATION_INDEXES` */
export const duplicatesOf = (
  publication: KubeObject,
  cache: { readonly byIndex: (name: string, value: string) => readonly KubeObject[] },
): readonly KubeObject[] => PUBLICATION_INDEXES.orb(publication).flatMap((place) => cache.byIndex('orb', place));

const isOlder = (one: KubeObject, other: KubeObject): boolean => {
  const difference = createdAtOf(one) - createdAtOf(other);
  return difference === 0 ? one.metadata.name < other.metadata.name : difference < 0;
};

/**
 * The oldest of the publications of a namespace with one `orb_id` holds it (trust.md §8).
 * @returns undefined: this one holds it
 */
export const publicationHolder = (publication: KubeObject, duplicates: readonly KubeObject[]): KubeObject | undefined =>
  duplicates
    .filter((other) => isOlder(other, publication))
    .reduce<KubeObject | undefined>((best, other) => (best && isOlder(best, other) ? best : other), undefined);
