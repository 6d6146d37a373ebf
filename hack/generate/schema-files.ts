import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, type Json } from '../control-plane/json.ts';

const FOLDER = 'crds/schemas';
const SUFFIX = '.schema.json';
/** The member that makes a schema a kind of the platform: see `resources.ts`. */
const RESOURCE = 'x-resource';

/** Names of the schemas of documents, in alphabetical order: `manifest`, `orb`, … */
export async function schemaNames(root: string): Promise<readonly string[]> {
  const files = await readdir(join(root, FOLDER));
  return files
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .toSorted();
}

/** A file of crds/schemas. */
export interface SchemaFile {
  /** The JSON Schema alone, without `x-resource`. */
  readonly schema: Json;
  /** The member `x-resource`; undefined when the schema is no kind of the platform. */
  readonly resource: unknown;
}

/** Reads a file of crds/schemas. @param name path below that folder without ending: `orb`, `status/orb` */
export async function readSchemaFile(root: string, name: string): Promise<SchemaFile> {
  const path = `${FOLDER}/${name}${SUFFIX}`;
  const file: unknown = JSON.parse(await readFile(join(root, path), 'utf8'));
  if (!isRecord(file)) throw new TypeError(`${path} is no JSON object`);
  const { [RESOURCE]: resource, ...schema } = file;
  return { schema, resource };
}

/** The JSON Schema of a file, as `readSchemaFile` reads it. */
export const readSchema = async (root: string, name: string): Promise<Json> =>
  (await readSchemaFile(root, name)).schema;
