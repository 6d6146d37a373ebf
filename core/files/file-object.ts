import { jcs } from '../json/jcs.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { digestOfText } from '../manifest/digest.ts';
import type { Resource, UncheckedOrbiset } from '../manifest/documents.ts';
import type { Pin } from '../../crds/orb.ts';
import { pinDigestOf } from '../failover/pin.ts';
import { pinOf } from '../orb/plan-pin.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';

/** The file that an object was last applied from, without its folder. */
const FILE = 'orbs.dev/file';
/** Digest of the document that was applied last, so that a restart over the same files writes nothing. */
const DIGEST = 'orbs.dev/file-digest';
/** Digest of the pin that the file had when it was applied last; absent when it had no pin. */
const PIN = 'orbs.dev/file-pin';
/** In place of a pin's digest: the pin in the file counts as unchanged, whichever it is. */
export const ANY_PIN = '*';

/** The content of a document about one object. The spec of an Orbiset may be invalid. */
export type FileResource =
  | Exclude<Resource, { kind: 'Orbiset' | 'OrbPolicy' | 'OrbSignalSource' }>
  | UncheckedOrbiset
  | (Omit<UncheckedOrbiset, 'kind'> & { readonly kind: 'OrbPolicy' | 'OrbSignalSource' });

const jsonOf = (spec: unknown): JsonObject => (isJsonObject(spec) ? spec : {});

/** @returns the same resource, with its spec as a JSON object */
export function fileResource(resource: Resource): FileResource {
  switch (resource.kind) {
    case 'Orbiset':
      return { ...resource, spec: jsonOf(resource.spec) };
    case 'OrbPolicy':
    case 'OrbSignalSource':
      return { ...resource, spec: jsonOf(resource.spec) };
    case 'Orb':
    case 'Secret':
      return resource;
    default:
      return resource satisfies never;
  }
}

/** A document and the file that holds it. */
export interface FileDocument {
  /** Name of the file, without its folder; '' for an object that is in no file. */
  readonly file: string;
  readonly resource: FileResource;
}

/** Key of an object among those of all kinds: `Orb default/example.echo-1.0.0`. */
export const objectKey = ({ kind, namespace, name }: Pick<FileResource, 'kind' | 'namespace' | 'name'>): string =>
  `${kind} ${namespace}/${name}`;

/** The file that an object was applied from; undefined when it was not applied from a file. */
export const fileOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[FILE];

/**
 * Digest of the pin that the file had when the object was applied last. After a take-over from an older version it is
 * the pin's id, or `ANY_PIN`.
 */
export const filePinOf = (object: KubeObject | undefined): string | undefined => object?.metadata.annotations?.[PIN];

/** The pin in a document. */
export const documentPinOf = (resource: FileResource): Pin | undefined =>
  resource.kind === 'Orb' ? resource.pin : undefined;

/**
 * Whether a file still has the pin that was noted. An edit of any member makes another pin, also under the same id.
 * @param noted result of `filePinOf`
 */
export function isNotedPin(noted: string | undefined, pin: Pin | undefined): boolean {
  if (noted === undefined || pin === undefined) return noted === pin;
  return noted === pinDigestOf(pin) || noted === pin.id;
}

/** Whether the pin of an object is the pin that its file had when it was applied last. */
export function hasFilePin(object: KubeObject | undefined): boolean {
  const pin = object === undefined ? undefined : pinOf(object);
  return pin !== undefined && isNotedPin(filePinOf(object), pin);
}

/** The content of a document without its labels and its pin; undefined for a Secret, because no digest of its values may be kept. */
function contentOf(resource: FileResource): JsonObject | undefined {
  switch (resource.kind) {
    case 'Orb':
      return { manifest: resource.manifest };
    case 'Orbiset':
    case 'OrbPolicy':
    case 'OrbSignalSource':
      return { spec: resource.spec };
    case 'Secret':
      return undefined;
    default:
      return resource satisfies never;
  }
}

/** Annotations of the object that is made from a document, except the annotation of its pin. */
export function annotationsOf({ file, resource }: FileDocument): Readonly<Record<string, string>> {
  const content = contentOf(resource);
  const { labels } = resource;
  const all = labels === undefined ? content : content && { ...content, labels };
  return { [FILE]: file, ...(all === undefined ? {} : { [DIGEST]: digestOfText(jcs(all)) }) };
}

/** Annotation with the pin that the file had; it is written together with the pin, never before it. */
export const pinAnnotationOf = (noted: string): Readonly<Record<string, string>> => ({ [PIN]: noted });

/** The same annotation as a JSON Pointer into the object. */
export const PIN_ANNOTATION_PATH = `/metadata/annotations/${PIN.replace('/', '~1')}`;

/** Annotations of an object that an older version applied from a file. The next evaluation compares its content. */
export const migratedAnnotations = (file: string): Readonly<Record<string, string>> => ({ [FILE]: file });

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Members of the object that is made from a document, except its metadata. A pin is applied separately. */
export function membersOf(resource: FileResource): object {
  switch (resource.kind) {
    case 'Orb':
      return { spec: resource.manifest };
    case 'Orbiset':
    case 'OrbPolicy':
    case 'OrbSignalSource':
      return { spec: resource.spec };
    case 'Secret':
      return { data: Object.fromEntries([...resource.data].map(([key, value]) => [key, base64(value)])) };
    default:
      return resource satisfies never;
  }
}

/** Whether an object matches its document, so that nothing has to be applied. Always false for a Secret. */
export function isApplied(object: KubeObject | undefined, document: FileDocument): boolean {
  const wanted = annotationsOf(document);
  const { annotations = {} } = object?.metadata ?? {};
  const isSame = [FILE, DIGEST].every((name) => annotations[name] === wanted[name]);
  return wanted[DIGEST] !== undefined && isSame && isNotedPin(filePinOf(object), documentPinOf(document.resource));
}
