import { inSlices } from '../../api-server/http/in-slices.ts';
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KubeClient } from '../../adapters/kube/port.ts';
import type { ReadFile } from '../../adapters/manifest-folder/read-folder.ts';
import { readVolume } from '../../adapters/manifest-folder/read-volume.ts';
import { subfoldersOf } from '../../adapters/manifest-folder/subfolders.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { fileFindingSteps, folderFile, type DocumentRules, type FoundFile } from '../../core/findings/file-findings.ts';
import { fileOf, objectKey } from '../../core/files/file-object.ts';
import { SKIPPED_FOLDER } from '../../core/findings/skipped-folder.ts';
import { planFiles, type DuplicateObject } from '../../core/files/plan-files.ts';
import type { CompileOnce } from '../../core/orb/compile-once.ts';
import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import type { InvalidSource } from '../../core/orb/invalid-source.ts';
import { invalidFiles } from './invalid-files.ts';
import { createFileWriter, FILE_KINDS, type FileWriter } from './file-writer.ts';

const LEVELS = { error: 'error', warning: 'warn', info: 'info' } as const satisfies Record<
  Finding['severity'],
  keyof Logger
>;

/** Shows findings to the person who edits the files: one line each, with file, line and column. */
function reportFindings(logger: Logger, file: string, findings: readonly Finding[]): void {
  for (const { severity, code, pointer, detail, suggestion, line, column } of findings) {
    const hint = suggestion === undefined || detail.includes(suggestion) ? '' : ` Did you mean "${suggestion}"?`;
    const place = line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) };
    logger[LEVELS[severity]](`${detail}${hint}`, { file, ...place, pointer, code });
  }
}

export interface FolderFeedOptions {
  readonly folder: string;
  readonly client: Pick<KubeClient, 'list' | 'apply' | 'patch' | 'delete'>;
  readonly compiled: CompileOnce;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  /** The only namespace whose policies may be for every tenant. */
  readonly platformNamespace: string;
  /** Called with the files that can't be read whole, after each change. */
  readonly onInvalid: (sources: readonly InvalidSource[]) => void;
}

const never = new AbortController().signal;

const isSame = (one: readonly ReadFile[] | undefined, other: readonly ReadFile[]): boolean =>
  one?.length === other.length && one.every((file, index) => file === other[index]);

const foundFile = (read: ReadFile): FoundFile => ({ ...read, file: basename(read.path) });

/** Digest of the content of each file, by its name. */
type Versions = ReadonlyMap<string, string>;

const versionsOf = (files: readonly ReadFile[]): Versions =>
  new Map(files.map(({ path, version }) => [basename(path), version] as const));

/** Names of the files whose content has changed. */
const changedSince = (before: Versions, files: readonly ReadFile[]): ReadonlySet<string> =>
  new Set([...versionsOf(files)].flatMap(([name, version]) => (before.get(name) === version ? [] : [name])));

const keyOfObject = ({ kind, metadata: { namespace = '', name } }: KubeObject): string =>
  `${kind} ${namespace}/${name}`;

/** Place of an object, for a line of the log. */
const placeOf = (object: KubeObject): Readonly<Record<string, string>> => {
  const file = fileOf(object) ?? '';
  return { object: keyOf(object.metadata), ...(file === '' ? {} : { file }) };
};

/** Makes the objects of the local store match the files of a folder (operator.md A16); one caller at a time. */
export class FolderFeed {
  readonly #options: FolderFeedOptions;
  readonly #writer: FileWriter;
  #seen: readonly ReadFile[] | undefined;
  /** Folders inside the folder that were reported. */
  #skipped: ReadonlySet<string> = new Set();
  /** Documents that were reported because another file describes the same object. */
  #duplicates: ReadonlySet<string> = new Set();
  /** Content of each file whose documents were applied, and their findings reported. */
  #applied: Versions = new Map();
  #failure = '';

  constructor(options: FolderFeedOptions) {
    this.#options = options;
    this.#writer = createFileWriter(options.client);
  }

  /**
   * Reads the folder and applies changes. Never rejects: after a failed read or write the objects stay, and the next
   * call retries.
   */
  async scan(): Promise<void> {
    const { folder, logger } = this.#options;
    try {
      const { files } = await readVolume(folder, this.#seen ?? []);
      if (!isSame(this.#seen, files)) await this.#apply(files);
      this.#seen = files;
      this.#failure = '';
    } catch (error) {
      // Reported once, not at every read.
      const text = String(error);
      if (text !== this.#failure) logger.error('the resources could not be read', { folder, error });
      this.#failure = text;
    }
  }

  async #apply(files: readonly ReadFile[]): Promise<void> {
    const { client, clock, logger, compiled, onInvalid } = this.#options;
    onInvalid(invalidFiles(files));
    const lists = await Promise.all(FILE_KINDS.map((kind) => client.list(kind, {}, never)));
    const found = files.map(foundFile);
    const plan = planFiles(
      found.map(folderFile),
      lists.flatMap(({ items }) => items),
    );
    await this.#reportSkipped();
    const objects = new Map(lists.flatMap(({ items }) => items).map((object) => [keyOfObject(object), object]));
    const createdAt = new Date(clock.now()).toISOString();
    await this.#writer.write(plan, createdAt, {
      applied: (object) => {
        const before = objects.get(keyOfObject(object));
        objects.set(keyOfObject(object), object);
        // A Secret is applied at every read, because it has no digest.
        if (before?.metadata.resourceVersion !== object.metadata.resourceVersion)
          logger.info(`${object.kind} applied`, placeOf(object));
        if (object.kind === 'OrbPolicy' && before !== undefined && fileOf(before) === undefined)
          logger.warn('the file takes the place of a policy that was written over HTTP', placeOf(object));
      },
      removed: (object) => {
        if (object.kind === 'Orb') compiled.forget(keyOf(object.metadata));
        logger.info(`${object.kind} removed`, placeOf(object));
      },
    });
    const fresh = new Set([...changedSince(this.#applied, files), ...this.#newDuplicates(plan.duplicates)]);
    for (const file of found) if (fresh.has(file.file)) await this.#reportFile(file, plan.duplicates, objects);
    this.#applied = versionsOf(files);
  }

  /** Names of the files with a document that another file holds since the last call. */
  #newDuplicates(duplicates: readonly DuplicateObject[]): readonly string[] {
    const before = this.#duplicates;
    const keyed = duplicates.map(({ file, key, used }) => ({ file, key: `${file}\n${key}\n${used}` }));
    this.#duplicates = new Set(keyed.map(({ key }) => key));
    return keyed.filter(({ key }) => !before.has(key)).map(({ file }) => file);
  }

  /** Reports folders inside the folder that hold manifests: nobody reads them. */
  async #reportSkipped(): Promise<void> {
    const { folder, logger } = this.#options;
    const names = await subfoldersOf(folder);
    for (const name of names) if (!this.#skipped.has(name)) reportFindings(logger, name, [SKIPPED_FOLDER]);
    this.#skipped = new Set(names);
  }

  /** Reports all findings of a file at their places. */
  async #reportFile(
    found: FoundFile,
    duplicates: readonly DuplicateObject[],
    objects: ReadonlyMap<string, KubeObject>,
  ): Promise<void> {
    const { logger, clock, platformNamespace, compiled } = this.#options;
    const ofManifest: DocumentRules['ofManifest'] = (manifest, resource) => {
      const object = resource === undefined ? undefined : objects.get(objectKey(resource));
      if (object === undefined || fileOf(object) !== found.file)
        return compiled.inspect(manifest, resource?.namespace ?? '');
      const stored = compiled.compile(object);
      return stored.kind === 'compiled' ? stored.orb.findings : stored.findings;
    };
    const rules = { platformNamespace, now: clock.now(), ofManifest };
    reportFindings(logger, found.file, await inSlices(fileFindingSteps(found, duplicates, rules)));
    if (found.broken) this.#reportKept(found, objects);
    await nextTurn(); // thousands of files may have changed at once: give others a turn between two files
  }

  /** Reports objects that stay in use, because their file can't be read whole and no longer shows them. */
  #reportKept(found: FoundFile, objects: ReadonlyMap<string, KubeObject>): void {
    const { file, resources } = folderFile(found);
    const here = new Set(resources.map(objectKey));
    for (const [key, object] of objects) {
      if (fileOf(object) !== file || here.has(key)) continue;
      this.#options.logger.warn('the previous content of the file stays in use', { file, object: key });
    }
  }
}
