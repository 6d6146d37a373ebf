import type { JsonValue } from '../json/json-value.ts';
import { readJsonText } from '../manifest/text/json-reader.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { decodeText } from './response-body.ts';

const SHOWN_BYTES = 4096;

/**
 * Uses this repository's JSON reader: a body from outside with escaped names never reaches `JSON.parse`
 * (`escaped-name.ts`).
 */
const parsed = (text: string): JsonValue | undefined => readJsonText(text, { keepsOffsets: false }).value;

/** A JSON body with the secrets in its values redacted; undefined when it holds none or is not JSON. */
function redactedJson(text: string, redactor: Redactor): string | undefined {
  const value = parsed(text);
  const redacted = value === undefined ? undefined : redactor.json(value);
  return redacted === undefined || redacted.hits === 0 ? undefined : JSON.stringify(redacted.value);
}

/** JSON is redacted by its values, not its spelling; text that only looks like JSON as any text (security.md §5). */
const clean = (text: string, redactor: Redactor): string => redactedJson(text, redactor) ?? redactor.text(text).value;

/**
 * A provider's answer as a person may see it: redacted, then cut (security.md S26). A body without a secret is shown
 * unchanged; a body with a secret may be written again in another spelling.
 * @returns at most 4096 bytes of UTF-8, except when the cut goes through a character; undefined when the body is not
 * text. Then nothing is shown, because no secret could be found in it.
 */
export function shownBody(body: Uint8Array, redactor: Redactor): string | undefined {
  const raw = decodeText(body);
  // Redact values before bytes: a marker in place of a number breaks the JSON, and the next number may be `1.5e9`.
  const json = raw === undefined ? undefined : redactedJson(raw, redactor);
  const text = decodeText(redactor.bytes(json === undefined ? body : new TextEncoder().encode(json)).value);
  if (text === undefined) return undefined;
  const bytes = new TextEncoder().encode(clean(text, redactor));
  return new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES));
}
