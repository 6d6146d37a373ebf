import { refusedFindings, type FoundManifest } from '../files/refused-findings.ts';
import type { Digest } from '../json/digest.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Resource } from '../manifest/documents.ts';
import type { Finding } from '../manifest/finding.ts';
import { furtherErrors } from '../manifest/further-errors.ts';
import { compileOrb } from '../orb/compile-orb.ts';

/** One manifest that a file holds, ready to be applied. */
export interface FileManifest {
  /** Name of the Orb that is made from it (core/manifest/resource-name.ts). */
  readonly name: string;
  readonly orbId: string;
  readonly manifest: JsonObject;
  readonly digest: Digest;
  /** Canonical JSON of the manifest. */
  readonly jcs: string;
}

/** The content of one file of the folder, checked. */
export interface CheckedFile {
  /** Without its folder. */
  readonly file: string;
  readonly manifests: readonly FileManifest[];
  /** Names of Orbs whose manifest in this file is invalid. */
  readonly claims: readonly string[];
  /** A document could not be read at all, or is not a manifest, so its Orb is unknown. */
  readonly broken: boolean;
  readonly findings: readonly Finding[];
}

/** A parsed document of a file. */
interface FileDocument {
  readonly resource: Resource;
  readonly withPlaces: (findings: readonly Finding[]) => readonly Finding[];
}

/** A parsed file. */
export interface ParsedFile {
  readonly documents: readonly FileDocument[];
  readonly findings: readonly Finding[];
  /** Manifests whose document was refused. */
  readonly refusedManifests?: readonly FoundManifest[];
  /** Documents whose text was refused and whose envelope is right: only checked, never used. */
  readonly drafts?: readonly FileDocument[];
  readonly broken: boolean;
}

export interface CheckFileOptions {
  /** Namespace that the Orbs are written to. */
  readonly namespace: string;
  /** Origins of `--egress-allow` and `--egress-stub`, exempt from the host lints. */
  readonly allowedOrigins: readonly string[];
}

const notBareManifest = (kind: string): Finding => ({
  code: 'loader-bare-manifests-only',
  pointer: '/kind',
  detail: `The manifest folder holds bare manifests; apply this ${kind} with kubectl, or move its spec to the top.`,
  severity: 'error',
});

interface CheckedDocument {
  readonly manifest?: FileManifest;
  readonly claim?: string;
  readonly findings: readonly Finding[];
}

function checkDocument({ resource, withPlaces }: FileDocument, options: CheckFileOptions): CheckedDocument {
  if (resource.kind !== 'Orb' || resource.pointer !== '')
    return { findings: withPlaces([notBareManifest(resource.kind)]) };
  const { name, manifest } = resource;
  const compiled = compileOrb(manifest, options);
  const findings = withPlaces(compiled.findings);
  if (!compiled.ok) return { claim: name, findings };
  const { orbId, digest, jcs } = compiled.value;
  return { manifest: { name, orbId, manifest, digest, jcs }, findings };
}

/**
 * Checks the documents of a file in the manifest folder as `kubectl apply` would (design.md §2, manifest loader).
 * Only bare manifests become Orbs.
 * @param file name without folder
 */
export function checkFile(file: string, parsed: ParsedFile, options: CheckFileOptions): CheckedFile {
  const documents = parsed.documents.map((document) => checkDocument(document, options));
  const refused = refusedFindings(
    parsed.refusedManifests ?? [],
    parsed.findings,
    (manifest) => compileOrb(manifest, options).findings,
  );
  const drafts = (parsed.drafts ?? []).flatMap((draft) => checkDocument(draft, options).findings);
  return {
    file,
    manifests: documents.flatMap(({ manifest }) => manifest ?? []),
    claims: documents.flatMap(({ claim }) => claim ?? []),
    broken: parsed.broken || documents.some(({ manifest, claim }) => manifest === undefined && claim === undefined),
    findings: [
      ...parsed.findings,
      ...refused,
      ...furtherErrors(parsed.findings, drafts),
      ...documents.flatMap(({ findings }) => findings),
    ],
  };
}
