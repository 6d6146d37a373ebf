import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { lookup } from '../../core/json/pointer.ts';

/** A member below objects. */
export const at = (value: JsonValue, ...names: readonly string[]): JsonValue | undefined => lookup(value, names);

/** @throws TypeError the member is missing or not a text */
export function textAt(value: JsonValue, ...names: readonly string[]): string {
  const found = at(value, ...names);
  if (typeof found !== 'string') throw new TypeError(`no text at ${names.join('.')}`);
  return found;
}

/** @throws TypeError the member is missing or not an object */
export function objectAt(value: JsonValue, ...names: readonly string[]): JsonObject {
  const found = at(value, ...names);
  if (!isJsonObject(found)) throw new TypeError(`no object at ${names.join('.')}`);
  return found;
}

/** The payload of a compact JWS, unverified. */
export function payloadOf(jws: string | undefined): JsonObject {
  const value: unknown = JSON.parse(Buffer.from(jws?.split('.')[1] ?? '', 'base64url').toString());
  if (!isJsonObject(value)) throw new TypeError('no payload');
  return value;
}
