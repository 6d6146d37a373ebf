import { mayEscapeNames } from '../json/escaped-name.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { Checked, Finding } from './finding.ts';
import { MAX_DEPTH } from '../json/too-deep.ts';
import { readJsonText } from './text/json-reader.ts';

const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isList = (value: object): value is readonly unknown[] => Array.isArray(value);
const isObject = (value: object): value is Readonly<Record<string, unknown>> => !Array.isArray(value);

const isOrdinaryNumber = (value: number): boolean =>
  Number.isSafeInteger(value) || (Number.isFinite(value) && value % 1 !== 0);

/** Whether every parser reads a value in the same way; counts its members. */
function isOrdinary(value: unknown, tally: { members: number }, depth: number): value is JsonValue {
  if (typeof value === 'number') return isOrdinaryNumber(value);
  if (typeof value !== 'object') return value !== undefined;
  if (value === null) return true;
  if (depth === MAX_DEPTH) return false;
  if (isObject(value)) return hasOrdinaryMembers(value, tally, depth + 1);
  return isList(value) && hasOrdinaryItems(value, tally, depth + 1);
}

/** A loop: a list of a million small values takes half of the time that it takes with `every`. */
function hasOrdinaryItems(value: readonly unknown[], tally: { members: number }, depth: number): boolean {
  for (const item of value) if (!isOrdinary(item, tally, depth)) return false;
  return true;
}

/** By name: of an object with many members, `Object.values` takes twice the time. */
function hasOrdinaryMembers(
  value: Readonly<Record<string, unknown>>,
  tally: { members: number },
  depth: number,
): boolean {
  const names = Object.keys(value);
  tally.members += names.length;
  for (const name of names) if (!isOrdinary(value[name], tally, depth)) return false;
  return true;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

/** Counts members in valid JSON text: strings before a colon. If the parsed value has fewer, a member is duplicate. */
function countMembers(text: string): number {
  let members = 0;
  for (let open = text.indexOf('"'); open !== -1;) {
    let close = text.indexOf('"', open + 1);
    while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
    let next = close + 1;
    while (text.charCodeAt(next) <= SPACE) next += 1;
    if (text.charCodeAt(next) === COLON) members += 1;
    open = text.indexOf('"', next);
  }
  return members;
}

const fault = (detail: string, code = 'invalid-json'): Finding => ({ code, pointer: '', detail, severity: 'error' });

/** A smaller body can't have enough of them to matter. */
const COUNTED_BYTES = 64 * 1024;
/** Members, objects and lists of a body: an object of so many members takes 40 ms to parse and to check. */
const MAX_PARTS = 50_000;
const QUOTE = 0x22;
const COMMA = 0x2c;
const TOO_LONG_TO_SAY =
  'The JSON is not well formed, nests more than 128 levels, has a member twice, or a number that is out of range. It has too many values to say where.';
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** So far a string is read byte by byte: a search costs as much as some thirty of them. */
const NEAR_BYTES = 64;

/** Whether the quote ends its string: an odd number of backslashes before it, none of them before `from`, says no. */
function isEnd(bytes: Uint8Array, quote: number, from: number): boolean {
  let first = quote;
  while (first > from && bytes[first - 1] === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 0;
}

/** The first byte behind a string. @param open place of its quote */
function behindString(bytes: Uint8Array, open: number): number {
  for (let at = open + 1; at < bytes.length;) {
    const near = Math.min(at + NEAR_BYTES, bytes.length);
    for (; at < near; at += 1) {
      if (bytes[at] === QUOTE) return at + 1;
      if (bytes[at] === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    if (isEnd(bytes, quote, at)) return quote + 1;
    at = quote + 1;
  }
  return bytes.length;
}

/** What a body is made of, as far as it costs time. */
export interface JsonCounts {
  /** Members, objects and lists. */
  readonly parts: number;
  readonly commas: number;
  /** Undefined: not counted. Without a meaning where the JSON is not well formed. */
  readonly members: number | undefined;
}

/** Counts what a large body is made of: up to 10 ms for 1 MiB. It ends where there are too many parts. */
export function countJson(bytes: Uint8Array): JsonCounts {
  if (bytes.length <= COUNTED_BYTES) return { parts: 0, commas: 0, members: undefined };
  let [members, openings, commas] = [0, 0, 0];
  for (let at = 0; at < bytes.length && members + openings <= MAX_PARTS;) {
    const byte = bytes[at];
    if (byte === COMMA) commas += 1;
    else if (byte === COLON) members += 1;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) openings += 1;
    at = byte === QUOTE ? behindString(bytes, at) : at + 1;
  }
  return { parts: members + openings, commas, members };
}

/** A body that `JSON.parse` has read, for `checkJson`. */
interface ParsedJson {
  /** Why it was not parsed; undefined: it was, or can't be. */
  readonly refused: Finding | undefined;
  /** It has so many values that the strict reader would take too long to say what is wrong with it. */
  readonly isLong: boolean;
  /** Members of the text, where they were counted. */
  readonly members: number | undefined;
  /** Undefined: it is not UTF-8. */
  readonly text: string | undefined;
  /** Undefined: `JSON.parse` can't read the text, or must not. */
  readonly parsed: unknown;
}

/** The middle of `readJson`. For a large body a caller lets other work have its turn before and after it. */
export function parseJson(bytes: Uint8Array, { parts, commas, members }: JsonCounts): ParsedJson {
  const isLong = commas > MAX_PARTS;
  const detail = `The body has more than ${MAX_PARTS} members, objects and lists.`;
  if (parts > MAX_PARTS)
    return { refused: fault(detail, 'too-many-values'), isLong, members, text: undefined, parsed: undefined };
  const text = decode(bytes);
  return {
    refused: undefined,
    isLong,
    members,
    text,
    parsed: text === undefined || mayEscapeNames(text) ? undefined : parse(text),
  };
}

/** The end of `readJson`. */
export function checkJson({ refused, isLong, members, text, parsed }: ParsedJson): Checked<JsonValue> {
  if (refused !== undefined) return { ok: false, findings: [refused] };
  if (text === undefined) return { ok: false, findings: [fault('The body is not UTF-8.')] };
  const tally = { members: 0 };
  if (isOrdinary(parsed, tally, 0) && tally.members === (members ?? countMembers(text)))
    return { ok: true, value: parsed, findings: [] };
  if (isLong) return { ok: false, findings: [fault(TOO_LONG_TO_SAY)] };
  const { reading, value } = readJsonText(text, { keepsOffsets: false });
  if (reading.findings.length > 0 || value === undefined) return { ok: false, findings: reading.findings };
  return { ok: true, value, findings: [] };
}

/**
 * Parses the JSON body of a request. It must be UTF-8 without a byte order mark and have at most 128 levels. Duplicate
 * members, integers beyond ±(2^53−1) and numbers that a double can't hold are refused. A body of 1 kB takes a few
 * microseconds: the strict reader runs only when `JSON.parse` and a cheap check leave doubts.
 * @returns the value, or findings `invalid-json`, `duplicate-key`, `integer-out-of-range`, `number-out-of-range`,
 *   `too-many-values`, `too-deep` with pointer, line and column. Findings show names of members, and no other part of the body
 */
export const readJson = (bytes: Uint8Array): Checked<JsonValue> => checkJson(parseJson(bytes, countJson(bytes)));
