import type { KubeObject } from '../reconcile/kube-object.ts';
import type { CheckedFile, FileManifest } from './check-file.ts';
import type { LoaderReport } from './loader-report.ts';
import { fileOf, isLoaderOwned } from './own-orb.ts';

/** An Orb of the loader that is no longer in any file. */
export interface RemoveStep {
  readonly name: string;
  readonly uid: string;
}

/** The content of the folder, and how much of it is applied already. */
export interface RemovalSnapshot {
  readonly files: readonly CheckedFile[];
  /** All Orbs of the loader's namespace. */
  readonly orbs: readonly KubeObject[];
  /** Manifests that match their Orbs. */
  readonly done: ReadonlySet<FileManifest>;
  /** Manifests whose Orbs are about to be written. */
  readonly due: ReadonlySet<FileManifest>;
}

interface Removals {
  readonly removes: readonly RemoveStep[];
  readonly reports: readonly LoaderReport[];
  /** There is no file at all, but there are Orbs that came from files. */
  readonly emptied: boolean;
}

/** A file that is not, or not yet, applied completely. */
interface OpenFile {
  readonly file: string;
  /** The file is valid and its writes are due; the Orbs that they replace are removed after them. */
  readonly quiet: boolean;
  /** The Orb of the file is unknown or does not exist yet: it may be a renamed file with any Orb's next version. */
  readonly mayMeanAny: boolean;
}

type Orphan = RemoveStep & { readonly from: string | undefined };

const NAMES_IN_REPORT = 5;

function orphansOf({ files, orbs }: RemovalSnapshot): readonly Orphan[] {
  const meant = new Set(files.flatMap(({ manifests, claims }) => [...manifests.map(({ name }) => name), ...claims]));
  return orbs
    .filter(
      (orb) => isLoaderOwned(orb) && orb.metadata.deletionTimestamp === undefined && !meant.has(orb.metadata.name),
    )
    .flatMap((orb) => {
      const { name, uid } = orb.metadata;
      return uid === undefined ? [] : [{ name, uid, from: fileOf(orb) }];
    });
}

function openFiles({ files, orbs, done, due }: RemovalSnapshot, orphans: readonly Orphan[]): readonly OpenFile[] {
  const known = new Set(orbs.map(({ metadata }) => metadata.name));
  const origins = new Set(orphans.map(({ from }) => from));
  return files.flatMap(({ file, manifests, claims, broken }) => {
    const undone = manifests.filter((manifest) => !done.has(manifest));
    if (!broken && claims.length === 0 && undone.length === 0) return [];
    const unknown = [...undone.map(({ name }) => name), ...claims].some((name) => !known.has(name));
    return [
      {
        file,
        quiet: !broken && claims.length === 0 && undone.every((manifest) => due.has(manifest)),
        mayMeanAny: (broken || unknown) && !origins.has(file),
      },
    ];
  });
}

/** The file that keeps an Orb: its own file, or a file that may be its own under another name. */
const holderOf = ({ from }: Orphan, open: readonly OpenFile[]): OpenFile | undefined =>
  open.find(({ file }) => file === from) ?? open.find(({ mayMeanAny }) => mayMeanAny);

function held(file: string, names: readonly string[]): LoaderReport {
  const rest = names.length - NAMES_IN_REPORT;
  const listed = `${names.slice(0, NAMES_IN_REPORT).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return {
    file,
    code: 'loader-removal-held',
    severity: 'warning',
    pointer: '',
    detail: `Not deleted: ${listed}. No valid manifest defines them any more, but this file has errors and may define them. Correct this file, or delete the Orbs with kubectl.`,
  };
}

/**
 * Decides which Orbs are removed because they are no longer in any file. An Orb that may have lost its file by a
 * mistake stays. So an Orb stays while its file exists and is not applied completely. Every Orb stays while such a file
 * can't be matched to an Orb, for example a file that was renamed and holds a mistake. A folder without any file counts
 * as a missing volume.
 */
export function planRemovals(snapshot: RemovalSnapshot): Removals {
  const orphans = orphansOf(snapshot);
  if (snapshot.files.length === 0) return { removes: [], reports: [], emptied: orphans.length > 0 };
  const open = openFiles(snapshot, orphans);
  const removes: RemoveStep[] = [];
  const stay = new Map<OpenFile, string[]>();
  for (const orphan of orphans) {
    const holder = holderOf(orphan, open);
    if (holder === undefined) removes.push({ name: orphan.name, uid: orphan.uid });
    else stay.set(holder, [...(stay.get(holder) ?? []), orphan.name]);
  }
  const reports = [...stay].flatMap(([{ file, quiet }, names]) => (quiet ? [] : [held(file, names.toSorted())]));
  return { removes, reports, emptied: false };
}
