import { isJsonObject } from '../../../core/json/json-value.ts';

/** An object taken apart into what server-side apply owns one by one; keys are paths as JSON. */
export type Fields = ReadonlyMap<string, unknown>;

/** Paths below which each entry has an owner of its own. */
const MAPS = ['/spec', '/status', '/data', '/stringData', '/metadata/labels', '/metadata/annotations'];
/** Lists whose items have owners of their own, and what tells items apart. */
const LISTS: Readonly<Record<string, string | undefined>> = {
  '/status/conditions': 'type',
  '/metadata/ownerReferences': 'uid',
  '/metadata/finalizers': '',
};
/** Set by the server, or not a field. */
const ENVELOPE = ['/apiVersion', '/kind'];
const SERVERS = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'];

const pointer = (path: readonly string[]): string => `/${path.join('/')}`;

function keyOfItem(item: unknown, by: string): string {
  const key = by === '' ? item : isJsonObject(item) ? item[by] : undefined;
  if (typeof key !== 'string') throw new TypeError(`an item of a list-map has no ${by}`);
  return key;
}

type Leaf = readonly [key: string, value: unknown];

const isTree = (at: string): boolean => at === '/' || at === '/metadata' || MAPS.includes(at);

function* members(value: object, path: readonly string[]): Generator<Leaf> {
  for (const [name, member] of Object.entries(value)) {
    if (pointer(path) !== '/metadata' || !SERVERS.includes(name)) yield* leaves(member, [...path, name]);
  }
}

function* leaves(value: unknown, path: readonly string[]): Generator<Leaf> {
  const at = pointer(path);
  const by = LISTS[at];
  if (value === undefined || ENVELOPE.includes(at)) return;
  if (isJsonObject(value) && isTree(at)) yield* members(value, path);
  else if (by === undefined || !Array.isArray(value)) yield [JSON.stringify(path), value];
  else for (const item of value) yield [JSON.stringify([...path, keyOfItem(item, by)]), item];
}

/** @param subresource only the status, or all but the status */
export const fieldsOf = (object: object, subresource: 'status' | undefined): Fields =>
  new Map([...leaves(object, [])].filter(([key]) => key.startsWith('["status"') === (subresource === 'status')));

const isPath = (value: unknown): value is readonly string[] => Array.isArray(value);

function pathOf(key: string): readonly string[] {
  const path: unknown = JSON.parse(key);
  if (!isPath(path)) throw new TypeError('not a path');
  return path;
}

type Tree = Map<string, unknown>;

function put(tree: Tree, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    tree.set(name, value);
    return;
  }
  const known = tree.get(name);
  const inner: Tree = known instanceof Map ? known : new Map();
  tree.set(name, inner);
  put(inner, rest, value);
}

function grown(tree: Tree, path: readonly string[]): unknown {
  if (LISTS[pointer(path)] !== undefined) return [...tree.values()];
  return Object.fromEntries(
    [...tree].map(([name, value]) => [name, value instanceof Map ? grown(new Map(value), [...path, name]) : value]),
  );
}

/** The object again; lists stand in order of their first entry. */
export function objectOf(fields: Fields): Readonly<Record<string, unknown>> {
  const tree: Tree = new Map();
  for (const [key, value] of fields) put(tree, pathOf(key), value);
  const object = grown(tree, []);
  return isJsonObject(object) ? object : {};
}
