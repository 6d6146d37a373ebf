import { stringify } from 'yaml';
import type { JsonValue } from '../../core/json/json-value.ts';
import type { Args } from '../args/parse-args.ts';
import { usage } from './failure.ts';

/** How results are printed; `text` is for people and may change. */
export type Format = 'text' | 'wide' | 'json' | 'yaml' | 'name';

// What a terminal acts on, or what makes text look like other text: controls, line separators, invisible and
// bidirectional marks, halves of characters.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
// The same in JSON text but for the line breaks that lay it out.
const UNPRINTABLE_IN_JSON = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const escape = (character: string): string => character.split('').map(escapeUnit).join('');

/** Foreign text on one line, with nothing that a terminal would act on. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escape);

/** JSON on several lines, or on one; what a terminal acts on is written as an escape, so the value stays the same. */
export const jsonText = (value: JsonValue, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(UNPRINTABLE_IN_JSON, escape);

const yamlText = (value: JsonValue): string => stringify(JSON.parse(jsonText(value)), { lineWidth: 0 });

/** A value for machines, with its final line feed. */
export const dataText = (value: JsonValue, format: 'json' | 'yaml'): string =>
  format === 'yaml' ? yamlText(value) : `${jsonText(value)}\n`;

/** Columns of text, two spaces between them; empty cells keep their place. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

const isFormat = (text: string): text is Format => ['text', 'wide', 'json', 'yaml', 'name'].includes(text);

/** The value of `--output`. @throws Failure a format that the verb doesn't have */
export function formatOf(args: Args, allowed: readonly Format[]): Format {
  const text = args.one('output') ?? 'text';
  if (!isFormat(text) || !allowed.includes(text)) {
    throw usage(`-o ${printable(text)}: this verb prints ${allowed.filter((name) => name !== 'text').join(' or ')}`);
  }
  return text;
}
