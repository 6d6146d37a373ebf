import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';

/** Members that are `undefined` are absent, as in JSON. */
function countOf(value: JsonObject): number {
  let count = 0;
  for (const name of Object.keys(value)) if (value[name] !== undefined) count += 1;
  return count;
}

function sameMembers(one: JsonObject, other: JsonObject): boolean {
  let count = 0;
  for (const name of Object.keys(one)) {
    const member: unknown = one[name];
    if (member === undefined) continue;
    if (!Object.hasOwn(other, name) || !jsonEqual(member, other[name])) return false;
    count += 1;
  }
  return count === countOf(other);
}

/**
 * Whether both are the same JSON. The order of members does not count, nor do prototypes; the order of items counts.
 */
export function jsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => jsonEqual(item, other[index]));
  }
  return isJsonObject(one) && isJsonObject(other) && sameMembers(one, other);
}
