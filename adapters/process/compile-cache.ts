import { lstatSync, mkdirSync, statSync, type Stats } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { isAbsolute, join } from 'node:path';

/**
 * Keeps compiled modules between starts, which halves the time of loading them. Call it before they are imported. The
 * folder lies beside the program: into a shared folder for temporary files others could plant code. On a read-only file
 * system, as in a container, every start compiles again. NODE_COMPILE_CACHE names another folder, and
 * NODE_DISABLE_COMPILE_CACHE=1 switches the cache off.
 * @param root folder of the program's package
 */
export function cacheCompiledModules(root: string): void {
  const folder = join(root, 'node_modules/.cache/orb-compile');
  enableCompileCache(folder);
  process.env['NODE_COMPILE_CACHE'] ??= folder; // for worker threads and child processes
}

const isOwn = (stats: Stats): boolean => stats.isDirectory() && stats.uid === process.getuid?.();
const OTHERS_MAY_WRITE = 0o022;

/**
 * The same for a program that its user may not write beside: in `$XDG_CACHE_HOME/orb`, or else `~/.cache/orb`, which is
 * created with mode 0700. The folder and `$XDG_CACHE_HOME` or `~` have to belong to the user, so that with sudo nothing of
 * another user is run or left behind. Child processes don't inherit it. Without such a folder every start compiles again,
 * without a message.
 * @param home home folder of the user
 */
export function cacheForUser(env: Readonly<Record<string, string | undefined>>, home: string): void {
  const { XDG_CACHE_HOME: named = '' } = env;
  const [base, path] = isAbsolute(named) ? [named, 'orb'] : [home, '.cache/orb'];
  const folder = join(base, path);
  try {
    if (!isAbsolute(base) || !isOwn(statSync(base))) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stats = lstatSync(folder);
    if (isOwn(stats) && (stats.mode & OTHERS_MAY_WRITE) === 0) enableCompileCache(folder);
  } catch {
    // No home folder, a read-only or a full file system: the program works without the cache.
  }
}
