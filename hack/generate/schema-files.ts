import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, type JsonRecord } from './record.ts';

const FOLDER = 'crds/schemas';
const SUFFIX = '.schema.json';
/** The member of a schema that makes it a kind of the platform: see `resources.ts`. */
const RESOURCE = 'x-resource';

/** Names of the schemas of documents, in alphabetical order: `manifest`, `orb`, … */
export async function schemaNames(root: string): Promise<readonly string[]> {
  const files = await readdir(join(root, FOLDER));
  return files
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .toSorted();
}

async function readFileOf(root: string, name: string): Promise<JsonRecord> {
  const path = `${FOLDER}/${name}${SUFFIX}`;
  const schema: unknown = JSON.parse(await readFile(join(root, path), 'utf8'));
  if (!isRecord(schema)) throw new TypeError(`${path} is no JSON object`);
  return schema;
}

/** The JSON Schema of a file. @param name path below crds/schemas without ending: `orb`, `status/orb` */
export async function readSchema(root: string, name: string): Promise<JsonRecord> {
  const { [RESOURCE]: _, ...schema } = await readFileOf(root, name);
  return schema;
}

/** The member `x-resource` of a file; undefined when the schema is no kind of the platform. */
export async function readResourceMember(root: string, name: string): Promise<unknown> {
  return (await readFileOf(root, name))[RESOURCE];
}
