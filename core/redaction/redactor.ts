import type { JsonValue } from '../json/json-value.ts';
import type { Redacted, RedactSteps } from './redact-json.ts';

/**
 * Removes every known form of the registered secret values. Pure and reusable; holds the values' forms. Each method
 * replaces hits with `[redacted:ENTRY]` and returns the result with the number of hits. Without a hit it returns its
 * argument unchanged.
 */
export interface Redactor {
  readonly text: (text: string) => { readonly value: string; readonly hits: number };
  /** Redacts every string, key and number; a number becomes a string. Booleans and null pass. Any depth. */
  readonly json: (value: JsonValue) => Redacted;
  /** The same in steps, for a value that a stranger may have made so that it takes long. */
  readonly jsonSteps: (value: JsonValue) => RedactSteps;
  readonly bytes: (bytes: Uint8Array) => { readonly value: Uint8Array; readonly hits: number };
  /**
   * Names of entries that can't be redacted, because they are too short (< 8 bytes) or far too long: condition
   * `UnscrubbableSecret`.
   */
  readonly unscrubbable: readonly string[];
}
