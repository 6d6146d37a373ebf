import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { readJsonText } from '../manifest/text/json-reader.ts';
import { mayEscapeNames } from '../json/escaped-name.ts';
import { hasLongDigits } from '../json/long-digits.ts';

/** A provider's answer as the outputs see it (design.md §2). */
export interface ProviderAnswer {
  readonly status: number;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: no body, or a body that is neither JSON nor text. */
  readonly body: JsonValue | undefined;
}

export type ReadBody =
  | { readonly ok: true; readonly body: JsonValue | undefined }
  /** The declared type is JSON or text, but the body is not: an undecodable body (failover.md §2, `error`). */
  | BrokenBody;

interface BrokenBody {
  readonly ok: false;
  readonly fault: 'broken-json' | 'not-text';
  /** The place of the fault, when it is known: `at character 17`. */
  readonly at?: string;
}

/** Media type without parameters, in lower case; '' without a content type. */
export const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isJsonType = (type: string): boolean => type.endsWith('/json') || type.endsWith('+json');
const isTextType = (type: string): boolean =>
  type.startsWith('text/') || type === 'application/x-ndjson' || type.endsWith('/xml') || type.endsWith('+xml');

/** Whether a body holds a number that `readBody` may have left out. */
export const hasLongInteger = (bytes: Uint8Array): boolean => hasLongDigits(decodeText(bytes) ?? '');

// A number that a double can't hold exactly counts as absent, so that no rounded value is returned.
const dropUnsafe = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') && !Number.isSafeInteger(value)
    ? undefined
    : value;

const isUnsafe = (value: JsonValue): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/**
 * The same for a value that was parsed without its source text. NaN keeps its place in a list and is never a valid
 * output.
 */
function withoutUnsafe(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => (isUnsafe(item) ? Number.NaN : withoutUnsafe(item)));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => !isUnsafe(member));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUnsafe(member)]));
}

/** Parses the few bodies with member names that `JSON.parse` may get wrong. Ten times slower; at most 128 levels. */
function parseByHand(text: string): ReadBody {
  const { reading, value } = readJsonText(text, { keepsOffsets: false });
  const malformed = reading.findings.some(({ code }) => code === 'invalid-json');
  return value === undefined || malformed
    ? { ok: false, fault: 'broken-json' }
    : { ok: true, body: withoutUnsafe(value) };
}

const isJson = (value: unknown): value is JsonValue =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  Array.isArray(value) ||
  isJsonObject(value);

/** The place that V8 names in its message; the rest of the message quotes the text. */
function faultAt(error: unknown): BrokenBody {
  const message = error instanceof SyntaxError ? error.message : '';
  const position = / at position (\d{1,10})/.exec(message)?.[1];
  if (position !== undefined) return { ok: false, fault: 'broken-json', at: `at character ${position}` };
  return message.startsWith('Unexpected end')
    ? { ok: false, fault: 'broken-json', at: 'at its end' }
    : { ok: false, fault: 'broken-json' };
}

function parseJson(text: string): ReadBody {
  if (mayEscapeNames(text)) return parseByHand(text);
  try {
    const value: unknown = hasLongDigits(text) ? JSON.parse(text, dropUnsafe) : JSON.parse(text);
    return { ok: true, body: isJson(value) ? value : undefined };
  } catch (error) {
    return faultAt(error);
  }
}

/**
 * Reads a whole, decoded body by its media type. JSON is parsed; text and XML stay text; without a type, JSON is tried.
 * An empty body is absent, whatever its type: a 202 often has `application/json` and no body.
 */
export function readBody(bytes: Uint8Array, contentType: string | undefined): ReadBody {
  if (bytes.length === 0) return { ok: true, body: undefined };
  const type = mediaTypeOf(contentType);
  const known = type === '' || isJsonType(type) || isTextType(type);
  if (!known) return { ok: true, body: undefined };
  const text = decodeText(bytes);
  if (text === undefined) return type === '' ? { ok: true, body: undefined } : { ok: false, fault: 'not-text' };
  if (isJsonType(type)) return parseJson(text);
  if (isTextType(type)) return { ok: true, body: text };
  const guess = parseJson(text);
  return guess.ok ? guess : { ok: true, body: text };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Text of a provider's bytes. Text has no NUL: bytes with NUL are UTF-16 or binary, where no form of a secret would be
 * found (security.md §5).
 * @returns undefined when the bytes are not UTF-8 text
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
