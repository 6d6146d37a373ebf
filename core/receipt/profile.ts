import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';

const KEY = /^[a-z][a-z0-9_]{0,63}$/;
const MAX_DEPTH = 16;

// Nearly every string of a receipt: well formed and NFC, without a lookup in Unicode tables.
const PRINTABLE_ASCII = /^[ -~]*$/;

/** A string that the profile admits: well formed and NFC. */
export const isProfileText = (text: string): boolean =>
  PRINTABLE_ASCII.test(text) || (text.isWellFormed() && text.normalize('NFC') === text);

const isProfileNumber = (value: number): boolean => Number.isSafeInteger(value) && !Object.is(value, -0);

function fits(value: JsonValue, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof value === 'string') return isProfileText(value);
  if (typeof value === 'number') return isProfileNumber(value);
  if (value === null || typeof value === 'boolean') return true;
  if (Array.isArray(value)) return value.every((item: JsonValue) => fits(item, depth + 1));
  return isJsonObject(value) && Object.entries(value).every(([key, item]) => KEY.test(key) && fits(item, depth + 1));
}

/**
 * Whether a value fits the profile `orb-json/1` (trust.md §1.2): safe integers but not -0, NFC strings, keys
 * `[a-z][a-z0-9_]{0,63}`, depth ≤ 16 (the root is 0).
 */
export const fitsProfile = (value: JsonObject): boolean => fits(value, 0);
