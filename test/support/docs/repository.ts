import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** Root folder of the repository. */
export const ROOT = resolve(import.meta.dirname, '../../..');

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', 'results']);
const TEXT = /\.(?:[cm]?[jt]s|md|gotmpl|ya?ml|tpl|txt|sh|lua)$|(?:^|\/)(?:Dockerfile|run)$/;

/** Whether people write the files of this name: false for installed and built files and remains of runs. */
const isKept = (name: string): boolean => name === '.ci' || (!name.startsWith('.') && !SKIPPED.has(name));

/** Text of a file. @param path from the root of the repository */
export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Folders in a folder of the repository, in order, without hidden ones. @param path from the root */
export const foldersIn = (path: string): readonly string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isKept(entry.name) && !entry.name.startsWith('.'))
    .map((entry) => join(path, entry.name))
    .toSorted();

/** Text files below a folder of the repository, in order. @param path from the root */
export function textFiles(path = '.'): readonly string[] {
  const folder = join(ROOT, path);
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => isKept(name))
    .flatMap((entry) => {
      const inside = relative(ROOT, join(folder, entry.name));
      if (entry.isDirectory()) return textFiles(inside);
      return entry.isFile() && TEXT.test(inside) ? [inside] : [];
    })
    .toSorted();
}
