import type { JsonValue } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { escapeCharacter, printable } from '../../core/json/printable.ts';

/** How results are printed; `text` is for people and may change. */
export type Format = 'text' | 'wide' | 'json' | 'yaml' | 'name';

// What `printable` escapes, in JSON text: except for the line breaks between its members.
const UNPRINTABLE_IN_JSON = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export { printable } from '../../core/json/printable.ts';

/** JSON on several lines, or on one. Characters that a terminal acts on are escaped, so the value stays the same. */
export const jsonText = (value: JsonValue, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(UNPRINTABLE_IN_JSON, escapeCharacter);

/** A member as text for people, on one line: a string as it is, another value as JSON, '' when it is absent. */
export function textAt(value: JsonValue | undefined, name: string): string {
  const found = member(value, name);
  if (found === undefined) return '';
  return typeof found === 'string' ? printable(found) : jsonText(found, 0);
}

/** The same, but '' for null. */
export function knownAt(value: JsonValue | undefined, name: string): string {
  return member(value, name) === null ? '' : textAt(value, name);
}

/** The texts of a list as one text for people: `a, b`; other items are left out. */
export const textsAt = (value: JsonValue | undefined, name: string): string =>
  printable(
    listAt(value, name)
      .filter((item) => typeof item === 'string')
      .join(', '),
  );

/** YAML writes a character beyond U+FFFF with eight digits, where JSON writes two units of four. */
const escapeInYaml = (character: string): string =>
  character.length === 1
    ? escapeCharacter(character)
    : `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;

/** The package is loaded only for YAML: it costs more time than all else that a verb loads. */
async function yamlText(value: JsonValue): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(JSON.parse(jsonText(value)));
  // Only in double quotes does YAML have escapes.
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && node.value.search(UNPRINTABLE_IN_JSON) >= 0) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0 }).replace(UNPRINTABLE_IN_JSON, escapeInYaml);
}

/** A value for machines, with its final line feed. */
export const dataText = async (value: JsonValue, format: 'json' | 'yaml'): Promise<string> =>
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
