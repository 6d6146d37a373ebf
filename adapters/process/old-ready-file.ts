import { rmSync } from 'node:fs';

const FLAG = '--ready-file';

const pathsIn = (argv: readonly string[]): readonly string[] =>
  argv.flatMap((word, index) => {
    if (word === FLAG) return argv.slice(index + 1, index + 2);
    return word.startsWith(`${FLAG}=`) ? [word.slice(FLAG.length + 1)] : [];
  });

/**
 * Removes the ready file of an earlier run. Call it before the modules of the program are imported: loading them takes
 * up to a second, and a script that waits for the file would read addresses that are no longer in use. A path that
 * can't be removed is reported when the command line is parsed.
 * @param argv the arguments after the program's name
 */
export function removeOldReadyFile(argv: readonly string[] = process.argv.slice(2)): void {
  if (argv.includes('--help') || argv.includes('-h')) return;
  for (const path of pathsIn(argv)) {
    try {
      rmSync(path, { force: true });
    } catch {
      // For example a folder: removeReadyFile says so.
    }
  }
}
