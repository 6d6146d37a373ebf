import type { JsonValue } from '../../json/json-value.ts';
import { childPointer } from '../child-pointer.ts';
import { isJsonNumber, numberDetails, numberFault } from './number.ts';
import { MAX_DEPTH } from '../../json/too-deep.ts';
import { openReading, report, type Reading } from './reading.ts';

/** State and position of a strict reader of JSON: for files, and for bodies that `JSON.parse` alone can't check. */
interface Cursor extends Reading {
  at: number;
  /** False for request bodies: the pointer of each member would hold a copy of a long name above it. */
  readonly keepsOffsets: boolean;
}

/** Place of a value. */
interface Spot {
  readonly pointer: string;
  readonly depth: number;
}

const SPACE = /[ \t\n\r]*/y;
// Ends at the first quote that is not escaped; `JSON.parse` checks the text in between.
const STRING = /"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const WORD = /[-+.0-9A-Za-z]+/y;
const WORDS: ReadonlyMap<string, JsonValue> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function match(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0] ?? '';
  cursor.at += found.length;
  return found;
}

function take(cursor: Cursor, character: string): boolean {
  match(cursor, SPACE);
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

const malformed = (cursor: Cursor, pointer: string): undefined =>
  report(cursor, cursor.at, { code: 'invalid-json', pointer, detail: 'The JSON is not well formed at this place.' });

function unquote(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined; // a control character or an unknown escape
  }
}

function readString(cursor: Cursor, pointer: string): string | undefined {
  const start = cursor.at;
  const value = unquote(match(cursor, STRING));
  if (typeof value === 'string') return value;
  cursor.at = start;
  return malformed(cursor, pointer);
}

function readWord(cursor: Cursor, pointer: string): JsonValue | undefined {
  const start = cursor.at;
  const source = match(cursor, WORD);
  const value = WORDS.get(source);
  if (value !== undefined) return value;
  if (!isJsonNumber(source)) {
    cursor.at = start;
    return malformed(cursor, pointer);
  }
  const code = numberFault(source);
  if (code !== undefined) report(cursor, start, { code, pointer, detail: numberDetails[code] });
  return Number(source);
}

function readMember(cursor: Cursor, spot: Spot, members: Map<string, JsonValue>): boolean {
  match(cursor, SPACE);
  const start = cursor.at;
  const name = readString(cursor, spot.pointer);
  if (name === undefined) return false;
  const pointer = childPointer(spot.pointer, name);
  if (members.has(name))
    report(cursor, start, { code: 'duplicate-key', pointer, detail: 'The member is given twice; remove one.' });
  if (!take(cursor, ':')) return malformed(cursor, pointer) ?? false;
  const value = readValue(cursor, { pointer, depth: spot.depth + 1 });
  if (value === undefined) return false;
  members.set(name, value);
  return true;
}

function readObject(cursor: Cursor, spot: Spot): JsonValue | undefined {
  const members = new Map<string, JsonValue>();
  if (take(cursor, '}')) return {};
  do {
    if (!readMember(cursor, spot, members)) return undefined;
  } while (take(cursor, ','));
  // Own members only, `__proto__` too: fromEntries defines, it does not assign.
  return take(cursor, '}') ? Object.fromEntries(members) : malformed(cursor, spot.pointer);
}

function readArray(cursor: Cursor, spot: Spot): JsonValue | undefined {
  const items: JsonValue[] = [];
  if (take(cursor, ']')) return items;
  do {
    const pointer = childPointer(spot.pointer, items.length);
    const value = readValue(cursor, { pointer, depth: spot.depth + 1 });
    if (value === undefined) return undefined;
    items.push(value);
  } while (take(cursor, ','));
  return take(cursor, ']') ? items : malformed(cursor, spot.pointer);
}

function readValue(cursor: Cursor, spot: Spot): JsonValue | undefined {
  const { pointer, depth } = spot;
  match(cursor, SPACE);
  if (cursor.keepsOffsets) cursor.offsets.set(pointer, cursor.at);
  if (depth > MAX_DEPTH)
    return report(cursor, cursor.at, { code: 'too-deep', pointer, detail: `Values nest at most ${MAX_DEPTH} deep.` });
  if (take(cursor, '{')) return readObject(cursor, spot);
  if (take(cursor, '[')) return readArray(cursor, spot);
  return cursor.text[cursor.at] === '"' ? readString(cursor, pointer) : readWord(cursor, pointer);
}

/**
 * Reads JSON strictly (RFC 8259): duplicate members, numbers that parsing would change, and depth are findings too.
 * @param options.keepsOffsets whether the reading keeps the place of each value; findings always have their places
 * @returns the reading, and the value when the text is well formed; use the value only when there are no findings
 */
export function readJsonText(
  text: string,
  { keepsOffsets }: { readonly keepsOffsets: boolean },
): { readonly reading: Reading; readonly value: JsonValue | undefined } {
  const cursor: Cursor = { ...openReading(text), at: 0, keepsOffsets };
  const value = readValue(cursor, { pointer: '', depth: 0 });
  if (value !== undefined) {
    match(cursor, SPACE);
    if (cursor.at < text.length) malformed(cursor, '');
  }
  return { reading: cursor, value };
}
