import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';

// Reads members of vector files with a check: a case of another form fails with the name of the missing member.

function member(object: JsonObject, name: string): JsonValue {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined) throw new Error(`member ${name} is missing`);
  return value;
}

export const has = (object: JsonObject, name: string): boolean => Object.hasOwn(object, name);

/** A value of JSON.parse is always JSON: the guard only serves the type. */
const isJson = (value: unknown): value is JsonValue => value !== undefined;

export function asValue(value: unknown): JsonValue {
  if (!isJson(value)) throw new Error('no JSON value');
  return value;
}

export function asObject(value: JsonValue | undefined, what: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${what} is no object`);
  return value;
}

export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

export const objectAt = (object: JsonObject, name: string): JsonObject => asObject(member(object, name), name);

export function listAt(object: JsonObject, name: string): readonly JsonValue[] {
  const value = member(object, name);
  if (!isList(value)) throw new Error(`member ${name} is no array`);
  return value;
}

export function textAt(object: JsonObject, name: string): string {
  const value = member(object, name);
  if (typeof value !== 'string') throw new Error(`member ${name} is no string`);
  return value;
}

export function numberAt(object: JsonObject, name: string): number {
  const value = member(object, name);
  if (typeof value !== 'number') throw new Error(`member ${name} is no number`);
  return value;
}

export const valueAt = member;

/** Strings of an array. */
export const textsAt = (object: JsonObject, name: string): readonly string[] =>
  listAt(object, name).map((value) => {
    if (typeof value !== 'string') throw new Error(`member ${name} has an element that is no string`);
    return value;
  });

/** Bytes of a base64 text, decoded leniently: the tested code must refuse wrong bytes itself. */
export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));
export const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
