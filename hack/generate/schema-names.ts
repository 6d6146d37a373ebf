import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SUFFIX = '.schema.json';

/** Names of the JSON Schemas in crds/schemas, in alphabetical order: `manifest`, `orb`, … */
export async function schemaNames(root: string): Promise<readonly string[]> {
  const files = await readdir(join(root, 'crds/schemas'));
  return files
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .toSorted();
}
