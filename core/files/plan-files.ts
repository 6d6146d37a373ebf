import type { KubeObject } from '../reconcile/kube-object.ts';
import {
  ANY_PIN,
  documentPinOf,
  fileOf,
  filePinOf,
  hasFilePin,
  isApplied,
  isNotedPin,
  objectKey,
  type FileDocument,
  type FileResource,
} from './file-object.ts';

/** One file of the folder. */
export interface FolderFile {
  /** Without its folder. */
  readonly file: string;
  readonly resources: readonly FileResource[];
  /** A document of the file could not be read, so the object that it describes is unknown. */
  readonly broken: boolean;
}

/** One object to create or change, so that it matches its file. */
export interface ApplyStep extends FileDocument {
  /**
   * Action on the pin: `set` writes the pin of the file, and `drop` removes the pin that the file had before.
   * `note` leaves the pin as it is and records which pin the file has. `keep` does nothing.
   */
  readonly pin: 'set' | 'drop' | 'note' | 'keep';
}

/** Two files hold an object of the same kind and name. */
export interface DuplicateObject {
  readonly file: string;
  readonly key: string;
  /** The file whose document is used. */
  readonly used: string;
}

/** The steps after which the objects match the files, in the order in which they must be carried out. */
export interface FilesPlan {
  readonly apply: readonly ApplyStep[];
  /** Objects that are no longer in any file; to be removed after every step of `apply`. */
  readonly remove: readonly KubeObject[];
  readonly duplicates: readonly DuplicateObject[];
}

// There is always an Orbiset `default` in the namespace `default` (design.md §7).
const DEFAULT: FileResource = { kind: 'Orbiset', namespace: 'default', name: 'default', spec: {} };
// Policies come first: they hold for everything else. Secrets come before Orbisets and
// sources, which may read them. Orbs come last:
// there are many, and nothing waits for them.
const KIND_ORDER: readonly FileResource['kind'][] = ['OrbPolicy', 'Secret', 'OrbSignalSource', 'Orbiset', 'Orb'];

const keyOfObject = ({ kind, metadata: { namespace = '', name } }: KubeObject): string =>
  `${kind} ${namespace}/${name}`;

interface Collected {
  readonly documents: ReadonlyMap<string, FileDocument>;
  readonly duplicates: readonly DuplicateObject[];
}

/**
 * Collects documents by key. When two files hold the same object, the document of the first file counts.
 * @param kept objects of files that can't be read completely, by key: the file may still hold them
 */
function collect(files: readonly FolderFile[], kept: ReadonlyMap<string, string>): Collected {
  const documents = new Map<string, FileDocument>();
  const duplicates: DuplicateObject[] = [];
  const earlier = new Set<string>();
  for (const { file, resources } of files) {
    for (const resource of resources) {
      const key = objectKey(resource);
      const holder = kept.get(key);
      const used = documents.get(key)?.file ?? (earlier.has(holder ?? file) ? holder : undefined);
      if (used === undefined) documents.set(key, { file, resource });
      else duplicates.push({ file, key, used });
    }
    earlier.add(file);
  }
  return { documents, duplicates };
}

/** The newer pin wins: the pin of a file counts only when the pin in the file has changed. */
function pinStep(document: FileDocument, object: KubeObject | undefined): ApplyStep['pin'] {
  const [now, before] = [documentPinOf(document.resource), filePinOf(object)];
  if (isNotedPin(before, now)) return 'keep';
  if (before === ANY_PIN) return 'note';
  if (now !== undefined) return 'set';
  return hasFilePin(object) ? 'drop' : 'note';
}

const rankOf = ({ resource }: FileDocument): number => KIND_ORDER.indexOf(resource.kind);

/**
 * Compares the files of a folder with the objects that were applied from files (operator.md A16).
 * @param files in the order of their names
 * @param objects every object of the kinds that files may hold
 */
export function planFiles(files: readonly FolderFile[], objects: readonly KubeObject[]): FilesPlan {
  const known = new Map(objects.map((object) => [keyOfObject(object), object]));
  const broken = new Set(files.filter((file) => file.broken).map(({ file }) => file));
  const kept = new Map(
    [...known].flatMap(([key, object]): readonly (readonly [string, string])[] => {
      const file = fileOf(object);
      return file !== undefined && broken.has(file) ? [[key, file]] : [];
    }),
  );
  const { documents, duplicates } = collect(files, kept);
  const defaultKey = objectKey(DEFAULT);
  const wanted = new Map(documents);
  if (!wanted.has(defaultKey) && !kept.has(defaultKey)) wanted.set(defaultKey, { file: '', resource: DEFAULT });
  const steps = [...wanted].flatMap(([key, document]): readonly ApplyStep[] => {
    const object = known.get(key);
    return isApplied(object, document) ? [] : [{ ...document, pin: pinStep(document, object) }];
  });
  const remove = [...known].flatMap(([key, object]) =>
    wanted.has(key) || fileOf(object) === undefined || kept.has(key) ? [] : [object],
  );
  return { apply: steps.toSorted((one, other) => rankOf(one) - rankOf(other)), remove, duplicates };
}
