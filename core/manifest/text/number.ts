const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const INTEGER = /^-?[0-9]+$/;
// RFC 8785 writes integers below this as digits, and others with an exponent.
const EXPONENT_FROM = 1e21;

/** The exact grammar of a number in JSON (RFC 8259 §6). */
export const isJsonNumber = (text: string): boolean => JSON_NUMBER.test(text);

export type NumberFault = 'integer-out-of-range' | 'number-out-of-range';

export const numberDetails: Readonly<Record<NumberFault, string>> = {
  'integer-out-of-range': 'Integers beyond 9007199254740991 are rounded by parsers; send them as strings.',
  'number-out-of-range': 'The number is beyond what a double holds; send it as a string.',
};

/**
 * Checks whether a number keeps its value through parsing and RFC 8785 (trust.md §1.2). An integer beyond ±(2^53−1)
 * loses it. The same holds when it is written with a point or an exponent, but its canonical form has digits only.
 * @param source the number as it is written; `isJsonNumber` must hold for it
 */
export function numberFault(source: string): NumberFault | undefined {
  const value = Number(source);
  if (!Number.isFinite(value)) return 'number-out-of-range';
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
  return Math.abs(value) < EXPONENT_FROM || INTEGER.test(source) ? 'integer-out-of-range' : undefined;
}
