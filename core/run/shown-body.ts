import type { JsonValue } from '../json/json-value.ts';
import { readJsonText } from '../manifest/text/json-reader.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { decodeText } from './response-body.ts';

const SHOWN_BYTES = 4096;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** By the reader of our own: a body from outside never reaches `JSON.parse` with escaped names (`escaped-name.ts`). */
const parsed = (text: string): JsonValue | undefined => readJsonText(text, { keepsOffsets: false }).value;

const unescape = (text: string): string =>
  text.replaceAll(ESCAPE, (_escape, code: string | undefined, unit: string) =>
    code === undefined ? (CONTROLS[unit] ?? unit) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/**
 * JSON is scrubbed as what it says, not as it is spelled (security.md §5): a quote or backslash of a form is escaped once
 * more in it, and any letter may stand as `\uXXXX`. What only looks like JSON (cut off, in text) is read the same way.
 */
function clean(text: string, redactor: Redactor): string {
  const value = parsed(text);
  const scrubbed = value === undefined ? undefined : redactor.json(value);
  if (scrubbed !== undefined && scrubbed.hits > 0) return JSON.stringify(scrubbed.value);
  const plain = redactor.text(text).value;
  const read = redactor.text(unescape(plain));
  return read.hits > 0 ? read.value : plain;
}

/**
 * A provider's own words as a person may see them: redacted, then cut (security.md S26). A body without a secret is shown
 * as it came; one with a secret may be spelled anew.
 * @returns at most 4096 bytes of UTF-8, but for a character that the cut goes through; undefined when the body is no
 *   text: then nothing of it is shown, as nothing in it can be found
 */
export function shownBody(body: Uint8Array, redactor: Redactor): string | undefined {
  const text = decodeText(redactor.bytes(body).value);
  if (text === undefined) return undefined;
  const bytes = new TextEncoder().encode(clean(text, redactor));
  return new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES));
}
