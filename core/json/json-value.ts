/** Any value that JSON can hold. Missing members are absent, never `undefined`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; look members up with `Object.hasOwn`, never through the prototype. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** True for objects only: not for `null`, not for arrays. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
