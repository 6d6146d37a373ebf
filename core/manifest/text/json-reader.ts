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
}

/** Place of a value, as the way from the root: a pointer is made only where it is reported. */
interface Spot {
  readonly parent: Spot | undefined;
  readonly token: string | number;
  readonly depth: number;
}

const ROOT: Spot = { parent: undefined, token: '', depth: 0 };

function pointerOf(spot: Spot): string {
  const tokens: (string | number)[] = [];
  for (let at: Spot = spot; at.parent !== undefined; at = at.parent) tokens.push(at.token);
  return tokens.reduceRight<string>(childPointer, '');
}

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

const malformed = (cursor: Cursor, spot: Spot): undefined =>
  report(cursor, cursor.at, {
    code: 'invalid-json',
    pointer: pointerOf(spot),
    detail: 'The JSON is not well formed at this place.',
  });

function unquote(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined; // a control character or an unknown escape
  }
}

function readString(cursor: Cursor, spot: Spot): string | undefined {
  const start = cursor.at;
  const value = unquote(match(cursor, STRING));
  if (typeof value === 'string') return value;
  cursor.at = start;
  return malformed(cursor, spot);
}

function readWord(cursor: Cursor, spot: Spot): JsonValue | undefined {
  const start = cursor.at;
  const source = match(cursor, WORD);
  const value = WORDS.get(source);
  if (value !== undefined) return value;
  if (!isJsonNumber(source)) {
    cursor.at = start;
    return malformed(cursor, spot);
  }
  const code = numberFault(source);
  if (code !== undefined) report(cursor, start, { code, pointer: pointerOf(spot), detail: numberDetails[code] });
  return Number(source);
}

function readMember(cursor: Cursor, spot: Spot, members: Map<string, JsonValue>): boolean {
  skipSpace(cursor);
  const start = cursor.at;
  const name = readString(cursor, spot);
  if (name === undefined) return false;
  const inner: Spot = { parent: spot, token: name, depth: spot.depth + 1 };
  if (members.has(name)) {
    const detail = 'The member is given twice; remove one.';
    report(cursor, start, { code: 'duplicate-key', pointer: pointerOf(inner), detail });
    if (isFull(cursor)) return false;
  }
  if (!take(cursor, ':')) return malformed(cursor, inner) ?? false;
  const value = readValue(cursor, inner);
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
  return take(cursor, '}') ? Object.fromEntries(members) : malformed(cursor, spot);
}

function readArray(cursor: Cursor, spot: Spot): JsonValue | undefined {
  const items: JsonValue[] = [];
  if (take(cursor, ']')) return items;
  do {
    const value = readValue(cursor, { parent: spot, token: items.length, depth: spot.depth + 1 });
    if (value === undefined) return undefined;
    items.push(value);
  } while (take(cursor, ','));
  return take(cursor, ']') ? items : malformed(cursor, spot);
}

function readValue(cursor: Cursor, spot: Spot): JsonValue | undefined {
  skipSpace(cursor);
  if (cursor.keepsOffsets) cursor.offsets.set(pointerOf(spot), cursor.at);
  if (spot.depth > MAX_DEPTH) {
    const detail = `Values nest at most ${MAX_DEPTH} deep.`;
    return report(cursor, cursor.at, { code: 'too-deep', pointer: pointerOf(spot), detail });
  }
  switch (cursor.text[cursor.at]) {
    case '{':
      cursor.at += 1;
      return readObject(cursor, spot);
    case '[':
      cursor.at += 1;
      return readArray(cursor, spot);
    case '"':
      return readString(cursor, spot);
    case undefined:
    default:
      return readWord(cursor, spot);
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
  const cursor: Cursor = { ...openReading(text), at: 0, keepsOffsets };
  const value = readValue(cursor, ROOT);
  if (value !== undefined) {
    skipSpace(cursor);
    if (cursor.at < text.length) malformed(cursor, ROOT);
  }
  return { reading: cursor, value };
}
