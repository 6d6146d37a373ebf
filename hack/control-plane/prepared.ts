import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { findBinaries, type FindOptions } from './binaries.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { withFolderLock } from './folder-lock.ts';
import { packFolder, unpackFolder, type PackedFile } from './packed-folder.ts';

/** A control plane that can be stopped and keeps its folder. */
type Stoppable = Pick<ControlPlane, 'folder' | 'stop'>;

/** What is in a control plane before its first use. */
export interface Preparation<P extends Stoppable = ControlPlane> {
  /** A word for file names. */
  readonly name: string;
  /** Paths of the files and folders that the content depends on. They must exist. */
  readonly inputs: readonly string[];
  readonly install: (plane: P) => Promise<void>;
}

interface Making<P extends Stoppable> extends FindOptions {
  /** Where prepared data is kept. */
  readonly folder: string;
  /** Starts an empty control plane. */
  readonly start: () => Promise<P>;
  /** Waits while another process makes the same; default: real time. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

const root = resolve(import.meta.dirname, '../..');
const FOLDER = join(root, 'node_modules/.cache/control-plane');

const filesOf = (path: string): readonly string[] =>
  statSync(path).isDirectory()
    ? globSync('**', { cwd: path, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .toSorted()
    : [path];

/** A file name that changes with the programs, the inputs, and the code that starts the servers; and its fixed start. */
async function nameOf(
  { name, inputs }: Pick<Preparation, 'name' | 'inputs'>,
  options: FindOptions,
): Promise<{ readonly file: string; readonly prefix: string }> {
  const { release, paths } = await findBinaries(options);
  const hash = createHash('sha256').update(JSON.stringify([release, paths]));
  for (const file of [import.meta.dirname, ...inputs].flatMap(filesOf))
    hash.update(`\n${relative(root, file)}\n`).update(readFileSync(file));
  const prefix = `${name}-${release.kubernetes}-`;
  return { file: `${prefix}${hash.digest('hex').slice(0, 16)}.gz`, prefix };
}

/** @returns undefined when it is missing or damaged: then it is made anew */
const read = (path: string): Promise<readonly PackedFile[] | undefined> =>
  readFile(path)
    .then(unpackFolder)
    .catch(() => undefined);

async function make<P extends Stoppable>(
  { install }: Preparation<P>,
  path: string,
  start: () => Promise<P>,
): Promise<readonly PackedFile[]> {
  const plane = await start();
  try {
    await install(plane);
    // Only a stopped etcd has everything in its files.
    await plane.stop({ keep: true });
    const packed = await packFolder(join(plane.folder, 'etcd'));
    await writeFile(`${path}.new`, packed, { mode: 0o600 });
    await rename(`${path}.new`, path);
    return await unpackFolder(packed);
  } finally {
    await plane.stop();
  }
}

/**
 * The files of etcd after `install`: from the cache, or made now by one process at a time. It replaces what was made
 * for the same release from other inputs.
 */
export async function preparedData<P extends Stoppable>(
  preparation: Preparation<P>,
  { folder, start, wait, ...options }: Making<P>,
): Promise<readonly PackedFile[]> {
  const { file, prefix } = await nameOf(preparation, options);
  const path = join(folder, file);
  const found = await read(path);
  if (found !== undefined) return found;
  await mkdir(folder, { recursive: true });
  const work = async (): Promise<readonly PackedFile[]> => {
    const other = await read(path);
    if (other !== undefined) return other;
    const made = await make(preparation, path, start);
    const old = (await readdir(folder)).filter((name) => name !== file && name.startsWith(prefix));
    for (const name of old) await rm(join(folder, name), { force: true });
    return made;
  };
  return withFolderLock(folder, options.say ?? console.error, work, wait);
}

/**
 * Like `startControlPlane` and then `install`, in half the CPU time: etcd starts with data that was prepared once.
 * Certificates, tokens and ports are new.
 */
export async function startPrepared(preparation: Preparation): Promise<ControlPlane> {
  const etcdData = await preparedData(preparation, { folder: FOLDER, start: startControlPlane });
  return startControlPlane({ etcdData });
}
