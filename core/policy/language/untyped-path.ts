import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import type { Node } from './tree.ts';
import { MAX_TEXT } from './untyped-values.ts';

/**
 * The names of a plain path such as `item.labels.severity`. Most fields of vendors are plain paths, and reading one takes
 * a tenth of what the evaluator takes.
 * @returns undefined: it is another expression
 */
export function pathOf(node: Node): readonly string[] | undefined {
  if (node.kind === 'name') return [node.name];
  if (node.kind !== 'select' || node.isTest) return undefined;
  const of = pathOf(node.of);
  return of && [...of, node.field];
}

/** What stands at a path, as it is. @returns undefined: a name of the path is absent */
export function memberAt(values: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue = values;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    const next: JsonValue | undefined = value[name];
    if (next === undefined) return undefined;
    value = next;
  }
  return value;
}

/**
 * What the evaluator would give for a plain path, but that lists and objects are whole: its reader takes what it needs of
 * them. Texts are cut, and a number that is not finite has no form in JSON.
 * @returns undefined: a name of the path is absent
 */
export function valueAt(values: JsonObject, path: readonly string[]): JsonValue | undefined {
  const value = memberAt(values, path);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : value;
}
