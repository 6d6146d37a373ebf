import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KubeClient } from '../../adapters/kube/port.ts';
import type { ReadFile } from '../../adapters/manifest-folder/read-folder.ts';
import { readVolume } from '../../adapters/manifest-folder/read-volume.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { fileOf, fileResource, objectKey } from '../../core/files/file-object.ts';
import { planFiles, type DuplicateObject, type FolderFile } from '../../core/files/plan-files.ts';
import type { CompileOnce } from '../../core/orb/compile-once.ts';
import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Resource } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import { judgePolicy } from '../../core/policy/status/judge-policy.ts';
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
}

const never = new AbortController().signal;

const isSame = (one: readonly ReadFile[] | undefined, other: readonly ReadFile[]): boolean =>
  one?.length === other.length && one.every((file, index) => file === other[index]);

const folderFile = ({ path, documents, refused, broken }: ReadFile): FolderFile => ({
  file: basename(path),
  resources: [...documents.map(({ resource }) => fileResource(resource)), ...refused],
  broken,
});

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

function policyFindings(judged: ReturnType<typeof judgePolicy>): readonly Finding[] {
  if (judged.kind === 'accepted' || judged.reason !== 'TestsFailed') return judged.findings;
  const failed = { severity: 'error', code: 'test-failed', pointer: '/spec/tests', detail: judged.message } as const;
  return [...judged.findings, failed];
}

/** Makes the objects of the local store match the files of a folder (operator.md A16); one caller at a time. */
export class FolderFeed {
  readonly #options: FolderFeedOptions;
  readonly #writer: FileWriter;
  #seen: readonly ReadFile[] | undefined;
  /** Content of each file whose own findings were reported. */
  #read: Versions = new Map();
  /** Content of each file whose manifests were applied, and their findings reported. */
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
    const { client, clock, logger, compiled } = this.#options;
    const lists = await Promise.all(FILE_KINDS.map((kind) => client.list(kind, {}, never)));
    const plan = planFiles(
      files.map(folderFile),
      lists.flatMap(({ items }) => items),
    );
    this.#reportFiles(files, plan.duplicates, changedSince(this.#read, files));
    this.#read = versionsOf(files);
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
    const fresh = changedSince(this.#applied, files);
    for (const file of files) if (fresh.has(basename(file.path))) await this.#reportFile(file, objects);
    this.#applied = versionsOf(files);
  }

  #reportFiles(files: readonly ReadFile[], duplicates: readonly DuplicateObject[], fresh: ReadonlySet<string>): void {
    const { logger } = this.#options;
    for (const { path, findings } of files)
      if (fresh.has(basename(path))) reportFindings(logger, basename(path), findings);
    for (const { file, key, used } of duplicates) {
      const detail = `${used} also has ${key}; that one is used.`;
      const finding = { code: 'resource-duplicate', pointer: '', detail, severity: 'error' } as const;
      if (fresh.has(file)) reportFindings(logger, file, [finding]);
    }
  }

  /** Reports findings of a file's manifests at their places. Manifests that another file also holds are left out. */
  async #reportFile(read: ReadFile, objects: ReadonlyMap<string, KubeObject>): Promise<void> {
    const { logger } = this.#options;
    const { path, documents, broken } = read;
    const file = basename(path);
    if (broken) this.#reportKept(read, objects);
    for (const { resource, withPlaces } of documents) {
      const object = objects.get(objectKey(resource));
      if (object === undefined || fileOf(object) !== file) continue;
      reportFindings(logger, file, withPlaces(this.#findingsOf(resource, object)));
    }
    await nextTurn(); // thousands of files may have changed at once: give others a turn between two files
  }

  /** Findings beyond those of the schema; pointers are relative to the document. */
  #findingsOf(resource: Resource, object: KubeObject): readonly Finding[] {
    const { clock, compiled, platformNamespace } = this.#options;
    if (resource.kind === 'OrbPolicy')
      return policyFindings(judgePolicy(object, { engine: CEL_ENGINE, platformNamespace, now: clock.now() }));
    if (resource.kind !== 'Orb') return [];
    const stored = compiled.compile(object);
    const findings = stored.kind === 'compiled' ? stored.orb.findings : stored.findings;
    return findings.map((finding) => ({ ...finding, pointer: `${resource.pointer}${finding.pointer}` }));
  }

  /** Reports objects that stay in use, because their file can't be read whole and no longer shows them. */
  #reportKept(read: ReadFile, objects: ReadonlyMap<string, KubeObject>): void {
    const { file, resources } = folderFile(read);
    const here = new Set(resources.map(objectKey));
    for (const [key, object] of objects) {
      if (fileOf(object) !== file || here.has(key)) continue;
      this.#options.logger.warn('the previous content of the file stays in use', { file, object: key });
    }
  }
}
