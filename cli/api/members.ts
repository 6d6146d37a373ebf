import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { jsonText, printable } from '../io/output.ts';

/** Own member of an object of unknown shape. */
export const member = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The member as an object; empty when it is none. */
export const objectAt = (value: JsonValue | undefined, name: string): JsonObject => {
  const found = member(value, name);
  return isJsonObject(found) ? found : {};
};

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** The member as a list; empty when it is none. */
export const listAt = (value: JsonValue | undefined, name: string): readonly JsonValue[] => {
  const found = member(value, name);
  return isList(found) ? found : [];
};

/** The member for people, on one line: strings as they are, anything else as JSON, '' when it is not there. */
export function textAt(value: JsonValue | undefined, name: string): string {
  const found = member(value, name);
  if (found === undefined) return '';
  return typeof found === 'string' ? printable(found) : jsonText(found, 0);
}
