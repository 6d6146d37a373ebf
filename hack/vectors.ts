// Runs test vectors: npm run vectors -- FOLDER. A line a file, each case that differs with what was expected, the totals
// last. Exit 0 when none failed, 1 when one did, 64 on wrong usage.
import { statSync } from 'node:fs';
import { runFolder } from './vectors/run-folder.ts';

async function main(args: readonly string[]): Promise<number> {
  const [folder] = args;
  if (
    folder === undefined ||
    args.length !== 1 ||
    statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true
  ) {
    console.error('usage: npm run vectors -- FOLDER   (a folder of *.json vector files, for example test/vectors)');
    return 64;
  }
  const { passed, failed, skipped } = await runFolder(folder, (line) => console.log(line));
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
