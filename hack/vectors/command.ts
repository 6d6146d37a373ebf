import { stat } from 'node:fs/promises';
import { runFolder } from './run-folder.ts';

const USAGE = 'usage: npm run vectors -- FOLDER   (a folder of *.json vector files, for example test/vectors)';

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Prints a line per file, then each case that differs with the expected value, and the totals last.
 * @returns exit status: 0 when no case failed, 1 when a case failed, 64 on wrong usage
 */
export async function vectorsCommand(args: readonly string[], print: (line: string) => void): Promise<number> {
  const [folder] = args;
  if (folder === undefined || args.length !== 1 || !(await isFolder(folder))) {
    print(USAGE);
    return 64;
  }
  const { passed, failed, skipped } = await runFolder(folder, print);
  print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
}
