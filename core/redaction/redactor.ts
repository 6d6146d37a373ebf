import type { JsonValue } from '../json/json-value.ts';
import type { RedactionStream } from './stream.ts';

/**
 * Removes every known form of the registered secret values (security.md §5). Pure and reusable; holds the values' forms.
 * Each method returns the text or value with `[redacted:ENTRY]` in place of a hit, and how many hits there were; without a
 * hit it returns what it was given.
 */
export interface Redactor {
  readonly text: (text: string) => { readonly value: string; readonly hits: number };
  /** Scrubs every string and every key; numbers, booleans and null pass. Any depth. */
  readonly json: (value: JsonValue) => { readonly value: JsonValue; readonly hits: number };
  readonly bytes: (bytes: Uint8Array) => { readonly value: Uint8Array; readonly hits: number };
  /** For bytes that come in pieces: a value split over them is found. One stream per text. */
  readonly stream: () => RedactionStream;
  /** Names of entries that can't be scrubbed, too short (< 8 bytes) or far too long: condition `UnscrubbableSecret`. */
  readonly unscrubbable: readonly string[];
}
