import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';

/** Folders beside a package.json that only the package's own developers use. */
const DEVELOPER_FOLDERS = new Set([
  '__tests__',
  'benchmark',
  'benchmarks',
  'coverage',
  'example',
  'examples',
  'test',
  'tests',
]);

/** Folders of single packages that no program reads: forms for other loaders, and test data. */
const UNREAD_FOLDERS = [
  '@bufbuild/cel/dist/cjs',
  '@bufbuild/cel-spec/dist/cjs',
  '@bufbuild/cel-spec/dist/esm/testdata',
  '@bufbuild/protobuf/dist/commonjs',
  '@bufbuild/re2/dist/cjs',
  '@bufbuild/re2/dist/esm/__fixtures__',
].map((folder) => join(sep, folder));

// Types, maps and prose; sources of native code; add-ons of another runtime than Node (Bare).
const UNREAD = /\.(?:[cm]?ts|map|md|markdown|flow|c|cc|h|bare|tsbuildinfo)$|^CMakeLists\.txt$/i;
// Licence files must stay, whatever their names are.
const LICENCE = /^(?:licen[cs]e|notice|copying|copyright)/i;

// Hidden files and folders are for tools, including npm's own.
const isHidden = (name: string): boolean => name.startsWith('.');

/** Whether Node may read the file at run time, or the image must carry it. */
const isNeededFile = (name: string): boolean => LICENCE.test(name) || !(isHidden(name) || UNREAD.test(name));

/** Binaries of a package lie in a folder for each machine: the image is built on one like those that it runs on. */
const isOfAnotherMachine = (path: string): boolean =>
  basename(dirname(path)) === 'prebuilds' && basename(path) !== `${process.platform}-${process.arch}`;

const isNeededFolder = (path: string, name: string, isPackage: boolean): boolean =>
  !isHidden(name) &&
  !(isPackage && DEVELOPER_FOLDERS.has(name)) &&
  !isOfAnotherMachine(path) &&
  !UNREAD_FOLDERS.some((folder) => path.endsWith(folder));

/** Removes files that no program reads from an installed `node_modules` or a folder below it. @returns files left */
export async function prune(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  const isPackage = entries.some(({ name }) => name === 'package.json');
  let left = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory();
    const kept = isFolder ? isNeededFolder(path, entry.name, isPackage) : isNeededFile(entry.name);
    const inside = kept && isFolder ? await prune(path) : Number(kept);
    if (inside === 0) await rm(path, { recursive: true });
    left += inside;
  }
  return left;
}
