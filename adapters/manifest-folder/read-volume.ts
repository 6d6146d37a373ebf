import { readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readFolder, type ReadFile } from './read-folder.ts';

// A volume may be swapped faster than it can be read: the next call tries again.
const ATTEMPTS = 3;

/**
 * The current folder of an atomically written volume (ConfigMap, Secret, projected); undefined in a plain folder.
 * @throws its link points nowhere: every file would seem to be removed
 */
async function dataOf(folder: string): Promise<string | undefined> {
  const path = join(folder, '..data');
  const target = await readlink(path).catch(() => undefined);
  if (target !== undefined) await stat(path);
  return target;
}

/** A folder as it was at one moment. */
export interface Volume {
  readonly files: readonly ReadFile[];
  /** Changes whenever a name is added to the folder or removed. Taken just before the files were read. */
  readonly stamp: string;
}

async function stampOf(folder: string): Promise<string> {
  const { ino, mtimeMs } = await stat(folder);
  return `${ino} ${mtimeMs}`;
}

/**
 * Reads a folder as `readFolder` does, but never half of an old and half of a new volume: `..data` is the same before
 * and after.
 * @throws the folder can't be read, or kept changing
 */
export async function readVolume(folder: string, before: readonly ReadFile[]): Promise<Volume> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const data = await dataOf(folder);
    const stamp = await stampOf(folder);
    const files = await readFolder(folder, before);
    if ((await dataOf(folder)) === data) return { files, stamp };
  }
  throw new Error('the volume changed while it was read');
}
