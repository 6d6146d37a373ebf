import type { JsonObject } from '../json/json-value.ts';
import type { RefusedManifest } from '../manifest/documents.ts';
import type { Finding } from '../manifest/finding.ts';

/** A manifest in a document that was refused, and the function that adds places in its file to findings. */
export interface FoundManifest extends RefusedManifest {
  readonly withPlaces: (findings: readonly Finding[]) => readonly Finding[];
}

/** The findings with pointers from the document. */
export const findingsBelow = (pointer: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((finding) => ({ ...finding, pointer: `${pointer}${finding.pointer}` }));

/** One finding a place is enough. */
const keyOf = ({ pointer, line }: Finding): string => `${pointer} ${line ?? ''}`;

/**
 * What is wrong with refused manifests beside their envelopes, so that an author corrects everything at once.
 * @param said findings that the file has already
 * @param inspect findings of a manifest, with pointers relative to it
 */
export function refusedFindings(
  manifests: readonly FoundManifest[],
  said: readonly Finding[],
  inspect: (manifest: JsonObject) => readonly Finding[],
): readonly Finding[] {
  const known = new Set(said.map(keyOf));
  return manifests.flatMap(({ manifest, pointer, withPlaces }) =>
    withPlaces(findingsBelow(pointer, inspect(manifest))).filter(
      (finding) => finding.severity === 'error' && !known.has(keyOf(finding)),
    ),
  );
}
