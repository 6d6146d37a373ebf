import type { Finding } from '../../core/manifest/finding.ts';
import { printable } from '../io/output.ts';

/** A finding about a file. */
export interface FileFinding {
  readonly file: string;
  readonly finding: Finding;
}

/** The line about a finding, for people. */
export function findingText({ file, finding }: FileFinding): string {
  const { line, column, pointer, severity, code, detail, suggestion } = finding;
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const said = suggestion === undefined || detail.includes(suggestion);
  const meant = said ? '' : ` Did you mean ${printable(suggestion)}?`;
  return `${printable(place)}: ${severity} ${code}${pointer === '' ? '' : ` ${printable(pointer)}`}: ${printable(detail)}${meant}\n`;
}

/** `1 file`, `2 files`. */
export const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
