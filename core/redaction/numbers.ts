import type { Pattern } from './automaton.ts';

/** Finds a secret in a JSON number. @returns the marker that replaces it; undefined when it holds no secret */
export type RedactNumber = (value: number) => string | undefined;

const NUMERIC = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/;
/** A shorter run of digits would blank everything (security.md §5). */
const MIN_DIGITS = 8;
/** A double holds 15 decimal digits; rounding may change the last of them. */
const EXACT_DIGITS = 14;
/** Integers below this have fewer characters than the shortest value. */
const SHORT = 1_000_000;

/** Writes a number without an exponent: `1.5e+21` → `1500000000000000000000`; `1.5e-7` → its digits, `15`. */
function withoutExponent(text: string): string {
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  return mantissa.replace('.', '').padEnd(Number(exponent) + 1, '0');
}

/** Digits that every encoder keeps when it reads a value as a number: `+0012345678` → `12345678`. */
function significant(text: string): string {
  const digits = withoutExponent(String(Math.abs(Number(text)))).replace(/^0\.0*/, '');
  return digits.length > EXACT_DIGITS + 1 ? digits.slice(0, EXACT_DIGITS) : digits;
}

function needlesOf({ bytes }: Pattern): readonly string[] {
  const text = new TextDecoder().decode(bytes).trim();
  if (!NUMERIC.test(text) || !Number.isFinite(Number(text))) return [];
  return [text, significant(text)].filter((needle) => needle.length >= MIN_DIGITS);
}

/**
 * Numbers are compared by their digits: a provider may write `12345678` as `1.2345678e7` and `0012345678` as
 * `12345678`. A double holds only some digits of a longer form, so only its first 14 count; the rest may be rounded. A
 * form with fewer than 8 digits after its leading zeros is not searched: `00000001` would blank every 1.
 * @param patterns every form of every value
 * @param markers by the entry of a pattern
 * @returns undefined when no value could come back as a number
 */
export function numberRedactor(patterns: readonly Pattern[], markers: readonly string[]): RedactNumber | undefined {
  const needles = patterns.flatMap((pattern) =>
    needlesOf(pattern).map((needle) => ({ needle, marker: markers[pattern.entry] ?? '' })),
  );
  if (needles.length === 0) return undefined;
  return (value) => {
    if (Number.isInteger(value) && Math.abs(value) < SHORT) return undefined;
    const text = String(value);
    const plain = withoutExponent(text);
    // `12345678e-4` becomes `1234.5678`.
    const spellings = [text, plain, plain.replace('.', '')];
    return needles.find(({ needle }) => spellings.some((spelling) => spelling.includes(needle)))?.marker;
  };
}
