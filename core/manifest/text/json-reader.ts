import type { JsonValue } from '../../json/json-value.ts';
import { childPointer } from '../child-pointer.ts';
import { isJsonNumber, numberDetails, numberFault } from './number.ts';
import { MAX_DEPTH } from '../../json/too-deep.ts';
import { isFull, openReading, report, type Reading } from './reading.ts';

/** State and position of a strict reader of JSON: for files, and for bodies that `JSON.parse` alone can't check. */
interface Cursor extends Reading {
  at: number;
  /** False for request bodies: the pointer of each member would hold a copy of a long name above it. */
  readonly keepsOffsets: boolean;
  /** Names and indexes from the root to the current value: a pointer is made only where it is reported. */
  readonly path: (string | number)[];
}

const pointerOf = ({ path }: Cursor): string => path.reduce<string>(childPointer, '');

const [TAB, LINE_FEED, RETURN, BLANK] = [0x09, 0x0a, 0x0d, 0x20];
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

function skipSpace(cursor: Cursor): void {
  for (; ; cursor.at += 1) {
    const unit = cursor.text.charCodeAt(cursor.at);
    if (unit !== BLANK && unit !== LINE_FEED && unit !== RETURN && unit !== TAB) return;
  }
}

function take(cursor: Cursor, character: string): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

/** The reading ends: the path stays where it is. */
const malformed = (cursor: Cursor): undefined =>
  report(cursor, cursor.at, {
    code: 'invalid-json',
    pointer: pointerOf(cursor),
    detail: 'The JSON is not well formed at this place.',
  });

function unquote(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined; // a control character or an unknown escape
  }
}

function readString(cursor: Cursor): string | undefined {
  const start = cursor.at;
  const value = unquote(match(cursor, STRING));
  if (typeof value === 'string') return value;
  cursor.at = start;
  return malformed(cursor);
}

function readWord(cursor: Cursor): JsonValue | undefined {
  const start = cursor.at;
  const source = match(cursor, WORD);
  const value = WORDS.get(source);
  if (value !== undefined) return value;
  if (!isJsonNumber(source)) {
    cursor.at = start;
    return malformed(cursor);
  }
  const code = numberFault(source);
  if (code !== undefined) report(cursor, start, { code, pointer: pointerOf(cursor), detail: numberDetails[code] });
  return Number(source);
}

function readMember(cursor: Cursor, members: Map<string, JsonValue>): boolean {
  skipSpace(cursor);
  const start = cursor.at;
  const name = readString(cursor);
  if (name === undefined) return false;
  cursor.path.push(name);
  if (members.has(name)) {
    const detail = 'The member is given twice; remove one.';
    report(cursor, start, { code: 'duplicate-key', pointer: pointerOf(cursor), detail });
    if (isFull(cursor)) return false;
  }
  if (!take(cursor, ':')) return malformed(cursor) ?? false;
  const value = readValue(cursor);
  if (value === undefined) return false;
  cursor.path.pop();
  members.set(name, value);
  return true;
}

function readObject(cursor: Cursor): JsonValue | undefined {
  const members = new Map<string, JsonValue>();
  if (take(cursor, '}')) return {};
  do {
    if (!readMember(cursor, members)) return undefined;
  } while (take(cursor, ','));
  // Own members only, `__proto__` too: fromEntries defines, it does not assign.
  return take(cursor, '}') ? Object.fromEntries(members) : malformed(cursor);
}

function readArray(cursor: Cursor): JsonValue | undefined {
  const items: JsonValue[] = [];
  if (take(cursor, ']')) return items;
  const place = cursor.path.push(0) - 1;
  do {
    cursor.path[place] = items.length;
    const value = readValue(cursor);
    if (value === undefined || isFull(cursor)) return undefined;
    items.push(value);
  } while (take(cursor, ','));
  cursor.path.pop();
  return take(cursor, ']') ? items : malformed(cursor);
}

function readValue(cursor: Cursor): JsonValue | undefined {
  skipSpace(cursor);
  if (cursor.keepsOffsets) cursor.offsets.set(pointerOf(cursor), cursor.at);
  if (cursor.path.length > MAX_DEPTH) {
    const detail = `Values nest at most ${MAX_DEPTH} deep.`;
    return report(cursor, cursor.at, { code: 'too-deep', pointer: pointerOf(cursor), detail });
  }
  switch (cursor.text[cursor.at]) {
    case '{':
      cursor.at += 1;
      return readObject(cursor);
    case '[':
      cursor.at += 1;
      return readArray(cursor);
    case '"':
      return readString(cursor);
    case undefined:
    default:
      return readWord(cursor);
  }
}

/**
 * Reads JSON strictly (RFC 8259): duplicate members, numbers that parsing would change, and depth are findings too.
 * @param options.keepsOffsets whether the reading keeps the place of each value; findings always have their places
 * @returns the reading, and the value when the text is well formed; use the value only when there are no findings. The
 *   reading ends where there are too many findings
 */
export function readJsonText(
  text: string,
  { keepsOffsets }: { readonly keepsOffsets: boolean },
): { readonly reading: Reading; readonly value: JsonValue | undefined } {
  const cursor: Cursor = { ...openReading(text), at: 0, keepsOffsets, path: [] };
  const value = readValue(cursor);
  if (value !== undefined) {
    skipSpace(cursor);
    if (cursor.at < text.length) malformed(cursor);
  }
  return { reading: cursor, value };
}
