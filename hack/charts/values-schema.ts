import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Finding } from './finding.ts';
import { at, isRecord, listAt, membersAt, textAt, type Json } from '../control-plane/json.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';
const REF = '#/definitions/';

/** The schema that a reference in the same file points to. */
function resolved(schema: unknown, root: Json): Json {
  const ref = textAt(schema, '$ref');
  const found = ref.startsWith(REF) ? at(root, 'definitions', ref.slice(REF.length)) : schema;
  return isRecord(found) ? found : {};
}

const BRANCHES = ['allOf', 'anyOf', 'oneOf'];

/** Every schema inside a schema, with its place. */
function* within(schema: unknown, place: string): Generator<readonly [string, Json]> {
  if (!isRecord(schema)) return;
  yield [place, schema];
  for (const group of ['properties', 'definitions', 'patternProperties'])
    for (const [name, member] of membersAt(schema, group)) yield* within(member, `${place}/${name}`);
  for (const name of ['items', 'additionalProperties']) yield* within(schema[name], `${place}/${name}`);
  for (const branch of BRANCHES)
    for (const [index, part] of listAt(schema, branch).entries()) yield* within(part, `${place}/${branch}/${index}`);
}

/** Helm gives a chart the `global` of its parent, with the members of all other charts. */
const SHARED = '#/global';

/** An object must say which other members it admits; an object that names members must admit no others. */
function opennessFault(schema: Json, place: string): string | undefined {
  const rest = schema['additionalProperties'];
  if (place === SHARED) return rest === true ? undefined : 'refuses the values of other charts';
  if (isRecord(schema['properties'])) return rest === false ? undefined : 'names members and admits others';
  const isObject = schema['type'] === 'object' || listAt(schema, 'type').includes('object');
  return isObject && rest === undefined ? 'does not say which members it admits' : undefined;
}

function missingInSchema(values: unknown, schema: Json, root: Json, place: string): readonly string[] {
  const properties = schema['properties'];
  if (!isRecord(values) || !isRecord(properties)) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    const own = properties[name];
    if (own === undefined) return [`${place}${name} is in values.yaml and not in the schema`];
    return missingInSchema(value, resolved(own, root), root, `${place}${name}.`);
  });
}

function missingInValues(values: unknown, schema: Json, root: Json, place: string): readonly string[] {
  return membersAt(schema, 'properties').flatMap(([name, member]) => {
    const value = at(values, name);
    if (value === undefined) return [`${place}${name} is in the schema and not in values.yaml`];
    // The user fills an empty object: its members have no defaults.
    const isFilled = isRecord(value) && Object.keys(value).length > 0;
    return isFilled ? missingInValues(value, resolved(member, root), root, `${place}${name}.`) : [];
  });
}

/** Differences between the values of a chart and their schema. */
export function schemaFaults(values: unknown, schema: Json): readonly string[] {
  const draft = schema['$schema'] === DRAFT ? [] : [`$schema must be ${DRAFT}`];
  const open = [...within(schema, '#')].flatMap(([place, each]) => {
    const fault = opennessFault(each, place);
    return fault === undefined ? [] : [`${place} ${fault}`];
  });
  return [
    ...draft,
    ...open,
    ...missingInSchema(values, schema, schema, ''),
    ...missingInValues(values, schema, schema, ''),
  ];
}

/**
 * `values.schema.json` of a chart: closed everywhere except in `global`; it lists exactly the values of `values.yaml`.
 */
export async function checkValuesSchema(chart: string): Promise<readonly Finding[]> {
  const where = join(chart, 'values.schema.json');
  if (!existsSync(where)) return [{ where, what: 'there is none' }];
  const schema: unknown = JSON.parse(await readFile(where, 'utf8'));
  const values: unknown = parse(await readFile(join(chart, 'values.yaml'), 'utf8'));
  return schemaFaults(values, isRecord(schema) ? schema : {}).map((what) => ({ where, what }));
}
