import type { JsonObject } from '../json/json-value.ts';
import type { RefusedManifest } from '../manifest/documents.ts';
import type { Finding } from '../manifest/finding.ts';
import { furtherErrors } from '../manifest/further-errors.ts';

/** A manifest in a document that was refused, and the function that adds places in its file to findings. */
export interface FoundManifest extends RefusedManifest {
  readonly withPlaces: (findings: readonly Finding[]) => readonly Finding[];
}

/** The findings with pointers from the document. */
export const findingsBelow = (pointer: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((finding) => ({ ...finding, pointer: `${pointer}${finding.pointer}` }));

/**
 * What is wrong with refused manifests beside their envelopes, so that an author corrects everything at once.
 * @param said findings that the file has already
 * @param inspect findings of a manifest, with pointers relative to it
 */
export const refusedFindings = (
  manifests: readonly FoundManifest[],
  said: readonly Finding[],
  inspect: (manifest: JsonObject) => readonly Finding[],
): readonly Finding[] =>
  manifests.flatMap(({ manifest, pointer, withPlaces }) =>
    furtherErrors(said, withPlaces(findingsBelow(pointer, inspect(manifest)))),
  );
