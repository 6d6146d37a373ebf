import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isManifestFile } from './read-folder.ts';

async function holdsManifests(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): readonly string[] => []);
  return names.some(isManifestFile);
}

/**
 * Names of the folders inside a folder that hold manifest files themselves. `readFolder` does not read them, which their
 * author should know. Names that begin with a dot are left out.
 */
export async function subfoldersOf(folder: string): Promise<readonly string[]> {
  const items = await readdir(folder, { withFileTypes: true });
  const names = items.filter((item) => item.isDirectory() && !item.name.startsWith('.')).map(({ name }) => name);
  const holding = await Promise.all(names.map((name) => holdsManifests(join(folder, name))));
  return names.filter((_, index) => holding[index]).toSorted();
}
