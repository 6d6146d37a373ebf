import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import type { Redactor } from '../redaction/redactor.ts';

const SHOWN_BYTES = 4096;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const isJson = (value: unknown): value is JsonValue =>
  typeof value === 'string' || Array.isArray(value) || isJsonObject(value);

function parsed(text: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

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
 * @returns at most 4096 bytes of UTF-8, but for a character that the cut goes through
 */
export function shownBody(body: Uint8Array, redactor: Redactor): string {
  const text = new TextDecoder().decode(redactor.bytes(body).value);
  const bytes = new TextEncoder().encode(clean(text, redactor));
  return new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES));
}
