import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/** Own member of a value of unknown shape; undefined when the member is absent or the value is not an object. */
export const member = (value: unknown, name: string): JsonValue | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The member as an object; empty when it is not an object. */
export const objectAt = (value: unknown, name: string): JsonObject => {
  const found = member(value, name);
  return isJsonObject(found) ? found : {};
};

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** The member as a list; empty when it is not a list. */
export const listAt = (value: unknown, name: string): readonly JsonValue[] => {
  const found = member(value, name);
  return isList(found) ? found : [];
};
