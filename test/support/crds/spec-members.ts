import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { isRecord, type Json } from '../../../hack/control-plane/json.ts';

const DEFINITIONS = join(import.meta.dirname, '../../../crds/definitions');

/** A member of a spec. In its path `{}` stands for any key of a map, `[]` for any item of a list. */
export interface SpecMember {
  readonly path: string;
  /** It has no members itself, only a value. */
  readonly isLeaf: boolean;
  /** The only value that its schema allows; absent when it allows several. */
  readonly only?: unknown;
}

const memberAt = (value: unknown, name: string | number): unknown => {
  if (Array.isArray(value)) return value[Number(name)];
  return isJsonObject(value) ? value[name] : undefined;
};

function onlyValue(schema: unknown): { readonly only?: unknown } {
  const values = memberAt(schema, 'enum');
  return Array.isArray(values) && values.length === 1 ? { only: values[0] } : {};
}

function membersOf(schema: unknown, path: string): readonly SpecMember[] {
  const properties = memberAt(schema, 'properties');
  const named = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, member]) => {
    const place = `${path}/${name}`;
    const below = membersOf(member, place);
    return [{ path: place, isLeaf: below.length === 0, ...onlyValue(member) }, ...below];
  });
  return [
    ...named,
    ...['items', 'additionalProperties'].flatMap((word) => {
      const inner = memberAt(schema, word);
      return isJsonObject(inner) ? membersOf(inner, `${path}/${word === 'items' ? '[]' : '{}'}`) : [];
    }),
  ];
}

/** Every member of `spec` that the resource definition of a kind knows. @param kind in lower case */
export async function specMembers(kind: string): Promise<readonly SpecMember[]> {
  const definition: unknown = parse(await readFile(join(DEFINITIONS, `${kind}.yaml`), 'utf8'));
  const path = ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec'];
  return membersOf(path.reduce(memberAt, definition), '');
}

/**
 * The spec with one member set.
 * @param path keys, from the root; missing objects on the path are created
 * @param value undefined: the member is removed
 */
export function withMember(spec: Json, path: readonly string[], value: unknown): Json {
  const [name = '', ...rest] = path;
  if (rest.length === 0)
    return Object.fromEntries([
      ...Object.entries(spec).filter(([other]) => other !== name),
      ...(value === undefined ? [] : [[name, value] as const]),
    ]);
  const inner = spec[name];
  if (Array.isArray(inner)) {
    const [index = '', ...below] = rest;
    const items: readonly unknown[] = inner;
    const changed = items.map((item, at) =>
      String(at) === index && isRecord(item) ? withMember(item, below, value) : item,
    );
    return { ...spec, [name]: changed };
  }
  return { ...spec, [name]: withMember(isRecord(inner) ? inner : {}, rest, value) };
}
