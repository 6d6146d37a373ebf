import type { JsonObject, JsonValue } from '../json/json-value.ts';
import type { RefusalCode } from './position.ts';

/**
 * Levels of objects and arrays in one value. Bodies have a limit of their own; this keeps recursion safe for any
 * caller.
 */
const MAX_DEPTH = 128;

const isArray = (value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] => Array.isArray(value);

function refusalOfList(values: readonly JsonValue[], depth: number): RefusalCode | undefined {
  for (const value of values) {
    const refused = refusalOfValue(value, depth);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** By name: of an object with many members, `Object.values` takes twice the time. */
function refusalOfMembers(value: JsonObject, depth: number): RefusalCode | undefined {
  for (const name of Object.keys(value)) {
    const refused = refusalOfValue(name, depth) ?? refusalOfValue(value[name] ?? null, depth);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function refusalOfContainer(value: readonly JsonValue[] | JsonObject, depth: number): RefusalCode | undefined {
  if (depth === MAX_DEPTH) return 'template-too-large';
  return isArray(value) ? refusalOfList(value, depth + 1) : refusalOfMembers(value, depth + 1);
}

/**
 * Refuses values that JSON would silently change: half of a surrogate pair, `Infinity` (the value of the literal
 * `1e400`). Also refuses nesting deeper than 128 levels.
 */
export function refusalOfValue(value: JsonValue, depth = 0): RefusalCode | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'template-invalid-unicode';
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'template-invalid-number';
  return typeof value === 'boolean' || value === null ? undefined : refusalOfContainer(value, depth);
}
