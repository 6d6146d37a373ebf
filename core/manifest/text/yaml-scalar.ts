import { isJsonNumber, numberDetails, numberFault } from './number.ts';

export type PlainScalar =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string };

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['', null],
  ['~', null],
  ['null', null],
  ['Null', null],
  ['NULL', null],
]);
const BOOLEAN_OF_1_1 = /^(?:y|n|yes|no|on|off)$/i;
const INFINITE = /^[-+]?[.](?:inf|nan)$/i;
// YAML 1.1 and 1.2 read octal, hexadecimal and binary numbers and underscores differently.
const OTHER_NUMBER =
  /^[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:[.][0-9]+|[0-9]+(?:[.][0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;

const refused = (code: string, detail: string): PlainScalar => ({ kind: 'refused', code, detail });

const isOtherNumber = (text: string): boolean =>
  INFINITE.test(text) || (/^[-+.0-9]/.test(text) && OTHER_NUMBER.test(text.replaceAll('_', '')));

/**
 * Resolves an unquoted scalar by YAML 1.2's core schema and by kubectl (YAML 1.1 as sigs.k8s.io/yaml reads it). A
 * scalar that the two read differently is refused, so that one file has one digest (design.md §2). Dates, times and
 * `1:20` are strings for both.
 */
export function plainScalar(text: string): PlainScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return { kind: 'value', value: word };
  if (BOOLEAN_OF_1_1.test(text))
    return refused(
      'yaml-ambiguous',
      `kubectl reads ${text} as a boolean; write "${text}" with quotes, or true or false.`,
    );
  if (text === '<<') return refused('yaml-merge-key', 'kubectl merges the members under <<; write them out.');
  if (isJsonNumber(text)) {
    const code = numberFault(text);
    return code === undefined ? { kind: 'value', value: Number(text) } : refused(code, numberDetails[code]);
  }
  if (isOtherNumber(text))
    return refused('yaml-number', 'Parsers disagree about this number; write it in decimal digits, or with quotes.');
  return { kind: 'value', value: text };
}
