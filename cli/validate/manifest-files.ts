import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { errorCode } from '../../core/errors/error-code.ts';
import { SUITE_SUFFIX } from '../../core/suite/suite.ts';
import { invalid } from '../io/failure.ts';

/** One file to check. */
export interface ManifestFile {
  readonly path: string;
  readonly format: 'json' | 'yaml';
}

/** Formats of manifests, by the ending of the file. */
const FORMATS: ReadonlyMap<string, 'json' | 'yaml'> = new Map([
  ['.json', 'json'],
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
]);

/** A file with its format, by its name. */
export const fileOf = (path: string): ManifestFile => ({
  path,
  format: FORMATS.get(extname(path).toLowerCase()) ?? 'yaml',
});

/** Suites stand beside manifests: `orb test` reads them. */
const isManifestFile = (name: string): boolean => FORMATS.has(extname(name)) && !name.endsWith(SUITE_SUFFIX);

async function inFolder(folder: string): Promise<readonly ManifestFile[]> {
  const items = await readdir(folder, { withFileTypes: true });
  const names = items.filter((item) => !item.isDirectory() && !item.name.startsWith('.') && isManifestFile(item.name));
  const files = names.map(({ name }) => fileOf(join(folder, name)));
  if (files.length === 0) throw invalid(`${folder}: it holds no *.json, *.yaml or *.yml`);
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The failure for an error of the file system; any other error as it is. */
function missing(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  return invalid(`${path}: ${code === 'ENOENT' ? 'there is no such file or folder' : `it can't be read (${code})`}`);
}

/**
 * The files that an argument names: the file itself (`-` is standard input), or the files of a folder. Subfolders are
 * not read, as in the loader (design.md §2).
 * @throws Failure it does not exist, or the folder holds no such file
 */
export async function manifestFiles(path: string): Promise<readonly ManifestFile[]> {
  if (path === '-') return [{ path, format: 'yaml' }];
  try {
    const found = await stat(path);
    return found.isDirectory() ? await inFolder(path) : [fileOf(path)];
  } catch (error) {
    throw missing(path, error);
  }
}

/** Whether an argument names a folder. @throws Failure it does not exist */
export async function isFolder(path: string): Promise<boolean> {
  if (path === '-') return false;
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw missing(path, error);
  }
}
