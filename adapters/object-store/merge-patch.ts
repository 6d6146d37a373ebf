import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';

/** Applies a JSON Merge Patch (RFC 7396). */
export function mergePatched(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result = new Map<string, JsonValue>(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatched(result.get(name) ?? null, value));
  }
  return Object.fromEntries(result);
}
