import { objectKey, membersOf, fileResource, type FileResource } from '../files/file-object.ts';
import type { DuplicateObject, FolderFile } from '../files/plan-files.ts';
import { judgeSource } from '../ingestion/source/judge-source.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Resource, UncheckedOrbiset } from '../manifest/documents.ts';
import type { Finding } from '../manifest/finding.ts';
import { furtherErrors } from '../manifest/further-errors.ts';
import { CEL_ENGINE } from '../policy/language/cel-engine.ts';
import type { Steps } from '../steps/steps.ts';
import { judgePolicySteps } from '../policy/status/judge-policy.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { findingsBelow, refusedFindings, type FoundManifest } from '../files/refused-findings.ts';

type WithPlaces = (findings: readonly Finding[]) => readonly Finding[];

/** A well-formed document of a file, and the function that adds places in the file to findings about it. */
interface FoundDocument {
  readonly resource: Resource;
  readonly withPlaces: WithPlaces;
}

/** What a reader found in one file. */
export interface FoundFile {
  /** Name, without its folder. */
  readonly file: string;
  readonly documents: readonly FoundDocument[];
  /** About the text and the envelopes of its documents. */
  readonly findings: readonly Finding[];
  readonly refused: readonly UncheckedOrbiset[];
  readonly refusedManifests: readonly FoundManifest[];
  /** Documents whose text was refused and whose envelope is right: only checked, never used. */
  readonly drafts: readonly FoundDocument[];
  readonly broken: boolean;
}

/** What documents are checked by, beside their own text. */
export interface DocumentRules {
  /** The only namespace whose policies may be for every tenant. */
  readonly platformNamespace: string;
  /** ms since the epoch */
  readonly now: number;
  /** Findings of a manifest; pointers are relative to it. `resource` is absent when its document was refused. */
  readonly ofManifest: (manifest: JsonObject, resource?: Resource & { readonly kind: 'Orb' }) => readonly Finding[];
}

/** A file as `planFiles` compares it. */
export const folderFile = ({ file, documents, refused, broken }: FoundFile): FolderFile => ({
  file,
  resources: [...documents.map(({ resource }) => fileResource(resource)), ...refused],
  broken,
});

function objectOf(resource: FileResource): KubeObject {
  const { kind, namespace, name } = resource;
  return { apiVersion: 'orbs.dev/v1alpha1', kind, metadata: { namespace, name }, ...membersOf(resource) };
}

function* policyFindings(resource: Resource, { platformNamespace, now }: DocumentRules): Steps<readonly Finding[]> {
  const options = { engine: CEL_ENGINE, platformNamespace, now };
  const judged = yield* judgePolicySteps(objectOf(fileResource(resource)), options);
  if (judged.kind === 'accepted' || judged.reason !== 'TestsFailed') return judged.findings;
  const failed = { severity: 'error', code: 'test-failed', pointer: '/spec/tests', detail: judged.message } as const;
  return [...judged.findings, failed];
}

function* resourceFindings(resource: Resource, rules: DocumentRules): Steps<readonly Finding[]> {
  switch (resource.kind) {
    case 'Orb':
      return findingsBelow(resource.pointer, rules.ofManifest(resource.manifest, resource));
    case 'OrbPolicy':
      return yield* policyFindings(resource, rules);
    case 'OrbSignalSource':
      return judgeSource(objectOf(fileResource(resource)), rules.platformNamespace).findings;
    case 'Orbiset':
    case 'Secret':
      return [];
    default:
      return resource satisfies never;
  }
}

/** An Orb by its id; any other object by kind, namespace and name. */
function titleOf(resource: Resource): string {
  const id = resource.kind === 'Orb' ? resource.manifest['orb_id'] : undefined;
  return typeof id === 'string' && id.length < 256 ? id : objectKey(resource);
}

const duplicate = (resource: Resource, file: string, used: string): Finding => ({
  code: 'resource-duplicate',
  pointer: resource.kind === 'Orb' && resource.pointer === '' ? '/orb_id' : '/metadata/name',
  detail:
    used === file
      ? `The file has ${titleOf(resource)} twice; the first one is used. Remove one of them.`
      : `${used} also has ${titleOf(resource)}; that one is used. Remove one of them.`,
  severity: 'error',
});

/** Findings about the documents of a file that are not used, because another document describes the same object. */
function duplicateFindings(found: FoundFile, duplicates: readonly DuplicateObject[]): readonly Finding[] {
  const own = duplicates.filter(({ file }) => file === found.file);
  const keys = [...new Set(own.map(({ key }) => key))];
  return keys.flatMap((key) => {
    const used = own.find((one) => one.key === key)?.used ?? '';
    const documents = found.documents.filter(({ resource }) => objectKey(resource) === key);
    return documents
      .slice(used === found.file ? 1 : 0)
      .flatMap(({ resource, withPlaces }) => withPlaces([duplicate(resource, found.file, used)]));
  });
}

/**
 * Everything that is wrong with a file of a folder. The platform reports it when it reads the folder, and `orb validate`
 * before: both call this function.
 * @param duplicates of `planFiles` over all files of the folder
 * @returns findings with their places, in the order of their lines
 */
export function* fileFindingSteps(
  found: FoundFile,
  duplicates: readonly DuplicateObject[],
  rules: DocumentRules,
): Steps<readonly Finding[]> {
  const findings = [
    ...found.findings,
    ...duplicateFindings(found, duplicates),
    ...refusedFindings(found.refusedManifests, found.findings, (manifest) => rules.ofManifest(manifest)),
  ];
  for (const { resource, withPlaces } of found.drafts)
    findings.push(...furtherErrors(found.findings, withPlaces(yield* resourceFindings(resource, rules))));
  for (const { resource, withPlaces } of found.documents)
    findings.push(...withPlaces(yield* resourceFindings(resource, rules)));
  return findings.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
}
