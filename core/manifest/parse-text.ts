import type { JsonValue } from '../json/json-value.ts';
import { checkValues, withoutForbidden } from './check-values.ts';
import type { Checked, Finding } from './finding.ts';
import { readJsonText } from './text/json-reader.ts';
import { openReading, report, withInnerPlaces, withPlaces, type Reading } from './text/reading.ts';
import { readYamlText } from './text/yaml-reader.ts';

/** One document of a text. Findings about the text itself have line and column already. */
export type ParsedDocument = Checked<JsonValue> & {
  /**
   * Of a refused document: its value as far as it is readable, so that everything else that is wrong with it is found at
   * once. It never runs. Undefined when it is not readable.
   */
  readonly draft: JsonValue | undefined;
  /** Adds line and column to findings about the value of this document, by their pointers. */
  readonly withPlaces: (findings: readonly Finding[]) => readonly Finding[];
  /** The same for findings whose line and column count inside the text at their pointer: an expression of a policy. */
  readonly withInnerPlaces: (findings: readonly Finding[]) => readonly Finding[];
};

// UTF-16 units; Kubernetes stores objects of at most 1.5 MB.
const MAX_LENGTH = 4 * 1024 * 1024;
// Findings of one document; the readers have the same limit.
const MAX_FINDINGS = 50;

function outcome(reading: Reading, value: JsonValue | undefined): ParsedDocument {
  const place = (findings: readonly Finding[]): readonly Finding[] => withPlaces(reading, findings);
  const innerPlace = (findings: readonly Finding[]): readonly Finding[] =>
    withInnerPlaces(reading, value ?? null, findings);
  const places = { withPlaces: place, withInnerPlaces: innerPlace };
  if (value === undefined) return { ok: false, findings: reading.findings, draft: undefined, ...places };
  const said = new Set(reading.findings.map(({ pointer }) => pointer));
  const ofValues = checkValues(value).filter(({ pointer }) => !said.has(pointer));
  const findings = [...reading.findings, ...place(ofValues.slice(0, MAX_FINDINGS))];
  if (findings.length > 0) return { ok: false, findings, draft: withoutForbidden(value), ...places };
  return { ok: true, value, findings: [], draft: undefined, ...places };
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
 * Parses files that people write: JSON, or YAML 1.2 with several documents (design.md §2). A text that kubectl would
 * read differently is refused. So are duplicate members, `null`, -0, and integers beyond ±(2^53−1).
 * @param text decoded file, at most 4 Mi UTF-16 units
 * @returns one result per document; a file of comments has none. Findings never quote values. Codes: `invalid-json`,
 *   `invalid-yaml`, `duplicate-key`, `manifest-null`, `minus-zero`, `integer-out-of-range`, `number-out-of-range`,
 *   `invalid-unicode`, `unsafe-name`, `too-deep`, `too-many-documents`, `too-many-values`, `document-too-large`, `yaml-ambiguous`,
 *   `yaml-number`, `yaml-key`, `yaml-tag`, `yaml-alias`, `yaml-escape`, `yaml-merge-key`, `yaml-directive`,
 *   `yaml-document-start`, `yaml-document-end`, `yaml-final-newline`, `yaml-character`
 */
export function parseDocuments(text: string, format: 'json' | 'yaml'): readonly ParsedDocument[] {
  if (text.length > MAX_LENGTH) return [tooLarge()];
  const read = format === 'json' ? [readJsonText(text, { keepsOffsets: true })] : readYamlText(text);
  return read.map(({ reading, value }) => outcome(reading, value));
}
