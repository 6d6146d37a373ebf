import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Artefact } from './artefact.ts';

/**
 * Compares artefacts with the files below `root` and, unless it should only check, writes those that differ.
 * @returns paths of the files that were stale or missing
 */
export async function writeArtefacts(
  root: string,
  artefacts: readonly Artefact[],
  { check }: { readonly check: boolean },
): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const { path, text } of artefacts) {
    const target = join(root, path);
    const found = await readFile(target, 'utf8').catch(() => undefined);
    if (found === text) continue;
    stale.push(path);
    if (check) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return stale;
}
