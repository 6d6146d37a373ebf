import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';

/** More than any object or list of a manifest may have; only values of any form may be larger. */
const MAX_MEMBERS = 256;

/** Values of any form: `default` of an input, and `equals` of a probe. */
const isFree = (path: readonly string[]): boolean =>
  (path.length === 3 && path[0] === 'inputs' && path[2] === 'default') ||
  path.slice(-4).join('/') === 'execution/probe/expect/equals';

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

function shortObject(value: JsonObject, path: readonly string[]): JsonObject {
  const names = Object.keys(value);
  const kept = names
    .slice(0, MAX_MEMBERS)
    .map((name): [string, JsonValue] => [name, shortened(value[name] ?? null, [...path, name])]);
  const isSame = kept.length === names.length && kept.every(([name, member]) => member === value[name]);
  return isSame ? value : Object.fromEntries(kept);
}

function shortList(value: readonly JsonValue[], path: readonly string[]): JsonValue {
  const kept = value.slice(0, MAX_MEMBERS).map((item, index) => shortened(item, [...path, String(index)]));
  return kept.length === value.length && kept.every((item, index) => item === value[index]) ? value : kept;
}

/**
 * A manifest without what is more than its schema allows anywhere: the generated check of the schema makes an error for
 * each of a hundred thousand unknown members. A manifest that is shortened is as wrong as it was.
 * @returns the same value unless something was left out
 */
export function shortened(value: JsonValue, path: readonly string[] = []): JsonValue {
  if (isFree(path)) return value;
  if (isJsonObject(value)) return shortObject(value, path);
  return isList(value) ? shortList(value, path) : value;
}
