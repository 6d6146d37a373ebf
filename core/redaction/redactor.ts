import type { JsonValue } from '../json/json-value.ts';

/**
 * Removes every known form of the registered secret values (security.md §5). Pure and reusable; holds the values' forms.
 * Each method returns the text or value with `[redacted:ENTRY]` in place of a hit, and how many hits there were.
 */
export interface Redactor {
  readonly text: (text: string) => { readonly value: string; readonly hits: number };
  /** Scrubs every string and every key; numbers, booleans and null pass. */
  readonly json: (value: JsonValue) => { readonly value: JsonValue; readonly hits: number };
  readonly bytes: (bytes: Uint8Array) => { readonly value: Uint8Array; readonly hits: number };
  /** Names of entries that are too short to scrub (< 8 bytes): condition `UnscrubbableSecret`. */
  readonly unscrubbable: readonly string[];
}
