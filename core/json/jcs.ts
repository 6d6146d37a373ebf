import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

// Nearly every string of a signed document: nothing to escape, and no surrogate.
const PLAIN = /^[ !#-[\]-~]*$/;

/** @throws TypeError lone surrogate */
export function textOf(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new TypeError('a lone surrogate has no UTF-8 form');
  return JSON.stringify(text);
}

function numberOf(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError('JSON has no NaN and no infinity');
  return JSON.stringify(value); // RFC 8785 §3.2.2.3 is the number form of ECMAScript; -0 is 0
}

/** By UTF-16 code units, as RFC 8785 §3.2.3 requires. What was canonical before is in order already. */
export function inOrder(names: readonly string[]): readonly string[] {
  const isSorted = names.every((name, index) => index === 0 || (names[index - 1] ?? '') < name);
  return isSorted ? names : names.toSorted();
}

function objectOf(value: JsonObject): string {
  let text = '';
  for (const name of inOrder(Object.keys(value))) {
    text += `${text === '' ? '' : ','}${textOf(name)}:${valueOf(value[name])}`;
  }
  return `{${text}}`;
}

function valueOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return textOf(value);
  if (typeof value === 'number') return numberOf(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(valueOf).join(',')}]`;
  if (isJsonObject(value)) return objectOf(value);
  throw new TypeError(`JSON has no ${typeof value}`);
}

/**
 * Canonical JSON text (RFC 8785). Integers beyond ±(2^53−1) are written as the double that they became when parsed.
 * A reader of JSON must refuse them first (trust.md §1.2).
 * @param value at most a few thousand levels deep, because the function recurses
 * @throws TypeError lone surrogate, NaN, infinity, or a member that is not a JSON value, such as `undefined`
 */
export const jcs = (value: JsonValue | undefined): string => valueOf(value);
