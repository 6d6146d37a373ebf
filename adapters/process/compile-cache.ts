import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Keeps compiled modules between starts, which halves the time of loading them. Call it before they are imported. The
 * folder lies beside the program: into a shared folder for temporary files others could plant code. On a read-only file
 * system, as in a container, every start compiles again.
 * @param root folder of the program's package
 */
export function cacheCompiledModules(root: string): void {
  const folder = join(root, 'node_modules/.cache/orb-compile');
  enableCompileCache(folder);
  process.env['NODE_COMPILE_CACHE'] = folder; // for worker threads and child processes
}
