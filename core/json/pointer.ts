import { isJsonObject, type JsonValue } from './json-value.ts';

const SYNTAX = /^(?:\/(?:[^~/]|~[01])*)*$/;
const INDEX = /^(?:0|[1-9][0-9]{0,15})$/;

/** JSON Pointer (RFC 6901) → unescaped tokens; `''`, the whole document, has none. @returns undefined if malformed */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (!SYNTAX.test(pointer)) return undefined;
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

// The built-in guard turns a readonly array into any[].
const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

function step(value: JsonValue, token: string): JsonValue | undefined {
  if (isJsonObject(value)) return Object.hasOwn(value, token) ? value[token] : undefined;
  if (!isArray(value) || !INDEX.test(token)) return undefined;
  return value[Number(token)];
}

/** The value at a parsed pointer; undefined when it does not exist. Only own members are read, never `constructor`. */
export function lookup(value: JsonValue, tokens: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const token of tokens) {
    if (current === undefined) return undefined;
    current = step(current, token);
  }
  return current;
}
