import type { JsonValue } from '../json/json-value.ts';
import type { Checked, Finding } from './finding.ts';
import { checkValues } from './rules/check-values.ts';
import { readJsonText } from './text/json-reader.ts';
import { openReading, report, withPlaces, type Reading } from './text/reading.ts';
import { readYamlText } from './text/yaml-reader.ts';

/** One document of a text. Findings of the text itself have their place. */
export type ParsedDocument = Checked<JsonValue> & {
  /** Adds line and column to findings about this document's value, by their pointers. */
  readonly withPlaces: (findings: readonly Finding[]) => readonly Finding[];
};

// UTF-16 units; Kubernetes stores objects of at most 1.5 MB.
const MAX_LENGTH = 4 * 1024 * 1024;
// Of one document, as the readers have it.
const MAX_FINDINGS = 50;

function outcome(reading: Reading, value: JsonValue | undefined): ParsedDocument {
  const place = (findings: readonly Finding[]): readonly Finding[] => withPlaces(reading, findings);
  if (value === undefined || reading.findings.length > 0)
    return { ok: false, findings: reading.findings, withPlaces: place };
  const findings = checkValues(value).slice(0, MAX_FINDINGS);
  if (findings.length > 0) return { ok: false, findings: place(findings), withPlaces: place };
  return { ok: true, value, findings: [], withPlaces: place };
}

function tooLarge(): ParsedDocument {
  const reading = openReading('');
  report(reading, 0, {
    code: 'document-too-large',
    pointer: '',
    detail: `A file holds at most ${MAX_LENGTH} characters.`,
  });
  return outcome(reading, undefined);
}

/**
 * Parses what people write: JSON, or YAML 1.2 of several documents (design.md §2). A text that kubectl would read in
 * another way than this function is refused, and so are duplicate members, `null`, and integers beyond ±(2^53−1).
 * @param text decoded file, at most 4 Mi UTF-16 units
 * @returns one outcome a document, none for a file of comments; findings never quote values. Codes: `invalid-json`,
 *   `invalid-yaml`, `duplicate-key`, `manifest-null`, `integer-out-of-range`, `number-out-of-range`, `invalid-unicode`,
 *   `unsafe-name`, `too-deep`, `too-many-values`, `document-too-large`, `yaml-ambiguous`, `yaml-number`, `yaml-key`,
 *   `yaml-tag`, `yaml-alias`, `yaml-escape`, `yaml-merge-key`, `yaml-directive`, `yaml-document-start`, `yaml-document-end`,
 *   `yaml-final-newline`, `yaml-character`
 */
export function parseDocuments(text: string, format: 'json' | 'yaml'): readonly ParsedDocument[] {
  if (text.length > MAX_LENGTH) return [tooLarge()];
  const read = format === 'json' ? [readJsonText(text, { keepsOffsets: true })] : readYamlText(text);
  return read.map(({ reading, value }) => outcome(reading, value));
}
