import type { Resource } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import type { FoundDocument, ReadFile } from '../../adapters/manifest-folder/read-folder.ts';

/** A resource with the file that it comes from. */
export interface Placed {
  readonly file: string;
  /** The same object as long as the file's content is the same. */
  readonly document: FoundDocument;
}

/** Something to tell the person who edits the files. */
interface FileReport {
  readonly file: string;
  readonly findings: readonly Finding[];
}

/** What the folder says as a whole, after one look. */
export interface Snapshot {
  /** By `kind namespace/name`. */
  readonly resources: ReadonlyMap<string, Placed>;
  /** Only files whose content is new since the last look. */
  readonly reports: readonly FileReport[];
  /** Files that can't be read whole and never could since the start: what they hold is not known. */
  readonly unread: ReadonlySet<string>;
}

const keyOf = (resource: Resource): string => `${resource.kind} ${resource.namespace}/${resource.name}`;

interface Known {
  readonly version: string;
  readonly documents: ReadonlyMap<string, FoundDocument>;
  readonly unread: boolean;
}

/** Good documents of the file; when one can't be read at all, also what the file held before. */
function merge(file: ReadFile, before: Known | undefined): ReadonlyMap<string, FoundDocument> {
  const now = new Map(file.documents.map((document) => [keyOf(document.resource), document] as const));
  return file.broken && before !== undefined ? new Map([...before.documents, ...now]) : now;
}

const readNow = (file: ReadFile, before: Known | undefined): Known => ({
  version: file.version,
  documents: merge(file, before),
  unread: file.broken && (before?.unread ?? true),
});

const duplicate = (key: string, other: string): Finding => ({
  code: 'resource-duplicate',
  pointer: '',
  detail: `${key} stands in ${other} too; that one is used.`,
  severity: 'error',
});

/**
 * Remembers the last good content of every file: a broken file leaves what it held before, a removed file takes its
 * resources along (design.md §2, "the last valid version runs on").
 */
export class ResourceSet {
  #files = new Map<string, Known>();

  /** Takes one look at the folder in. Files in the order of their names: the first of two equal resources is used. */
  update(files: readonly ReadFile[]): Snapshot {
    const next = new Map<string, Known>();
    const resources = new Map<string, Placed>();
    const reports: FileReport[] = [];
    for (const file of files) {
      const before = this.#files.get(file.path);
      const known = before?.version === file.version ? before : readNow(file, before);
      next.set(file.path, known);
      const findings = [...file.findings, ...this.#place(file.path, known, resources)];
      if (known !== before && findings.length > 0) reports.push({ file: file.path, findings });
    }
    this.#files = next;
    const unread = new Set([...next].filter(([, known]) => known.unread).map(([path]) => path));
    return { resources, reports, unread };
  }

  #place(file: string, known: Known, resources: Map<string, Placed>): readonly Finding[] {
    const findings: Finding[] = [];
    for (const [key, document] of known.documents) {
      const other = resources.get(key);
      if (other === undefined) resources.set(key, { file, document });
      else findings.push(duplicate(key, other.file));
    }
    return findings;
  }
}
