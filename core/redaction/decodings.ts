import { viewOf, type Place, type View } from './view.ts';

/**
 * An encoding that may stand around any part of a value, in any spelling: as forms of a value they would be too many.
 * @returns the text without it; undefined: it is not used in the text
 */
export type Decoding = (text: Uint8Array) => View | undefined;

const [PERCENT, BACKSLASH, AMPERSAND, HASH, SEMICOLON] = [0x25, 0x5c, 0x26, 0x23, 0x3b];
const [LF, CR, SPACE, TAB, COLON, DASH] = [0x0a, 0x0d, 0x20, 0x09, 0x3a, 0x2d];
const [LOWER_X, LOWER_U] = [0x78, 0x75];

/** Value of a hexadecimal digit, 16 for any other byte. */
const HEX_DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const found = '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase());
  return found < 0 ? 16 : found;
});
const digitAt = (text: Uint8Array, at: number): number => HEX_DIGITS[text[at] ?? 0] ?? 16;

/** A number of exactly `count` hexadecimal digits; undefined: other characters stand there. */
function hexAt(text: Uint8Array, at: number, count: number): number | undefined {
  let value = 0;
  for (let index = at; index < at + count; index += 1) {
    const digit = digitAt(text, index);
    if (digit > 15) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

const encoder = new TextEncoder();
const utf8 = (codePoint: number): readonly number[] =>
  codePoint < 0x80 ? [codePoint] : [...encoder.encode(String.fromCodePoint(codePoint))];

/** What stands for an encoded byte, by the bytes that it takes up in the text: made once, because a text may have a million. */
const byteIn = (length: number): readonly Place[] =>
  Array.from({ length: 256 }, (_, byte) => ({ bytes: [byte], length }));
const IN_PERCENT = byteIn(3);
const IN_HEX_ESCAPE = byteIn(4);
const IN_LETTER = byteIn(2);

/** `%73`, each byte in either case (RFC 3986 §2.1). */
const percent: Decoding = (text) =>
  viewOf(text, [PERCENT], (_, at) => {
    const byte = hexAt(text, at + 1, 2);
    return byte === undefined ? undefined : IN_PERCENT[byte];
  });

/** Escapes of one letter, of JSON and of program sources. */
const LETTERS: Readonly<Record<string, number>> = {
  n: LF,
  r: CR,
  t: TAB,
  b: 0x08,
  f: 0x0c,
  '"': 0x22,
  "'": 0x27,
  '/': 0x2f,
  '\\': BACKSLASH,
};

const isLeading = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isTrailing = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** `\u0073`; two of them for a character beyond the first plane. */
function unicodeAt(text: Uint8Array, at: number): Place | undefined {
  const unit = hexAt(text, at + 2, 4);
  if (unit === undefined) return undefined;
  const isPair = isLeading(unit) && text[at + 6] === BACKSLASH && text[at + 7] === LOWER_U;
  const next = isPair ? hexAt(text, at + 8, 4) : undefined;
  if (next === undefined || !isTrailing(next)) return { bytes: utf8(unit), length: 6 };
  return { bytes: utf8(0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00)), length: 12 };
}

/** `\u0073`, `\x73`, `\n` (RFC 8259 §7). */
const backslashes: Decoding = (text) =>
  viewOf(text, [BACKSLASH], (_, at) => {
    const kind = text[at + 1] ?? 0;
    if (kind === LOWER_U) return unicodeAt(text, at);
    const byte = kind === LOWER_X ? hexAt(text, at + 2, 2) : undefined;
    if (byte !== undefined) return IN_HEX_ESCAPE[byte];
    const letter = LETTERS[String.fromCharCode(kind)];
    return letter === undefined ? undefined : IN_LETTER[letter];
  });

/** The five entities of XML. */
const NAMED: readonly (readonly [name: Uint8Array, byte: number])[] = (
  [
    ['&amp;', AMPERSAND],
    ['&lt;', 0x3c],
    ['&gt;', 0x3e],
    ['&quot;', 0x22],
    ['&apos;', 0x27],
  ] as const
).map(([name, byte]) => [encoder.encode(name), byte]);
const MOST_DIGITS = 8;
const LAST_CODE_POINT = 0x10ffff;

const startsWith = (text: Uint8Array, at: number, name: Uint8Array): boolean => {
  let index = 1;
  while (index < name.length && text[at + index] === name[index]) index += 1;
  return index === name.length;
};

/** `&#115;` and `&#x73;`, with leading zeros up to 8 digits. */
function numericAt(text: Uint8Array, at: number): Place | undefined {
  const isHex = ((text[at + 2] ?? 0) | 0x20) === LOWER_X;
  const base = isHex ? 16 : 10;
  const from = at + (isHex ? 3 : 2);
  let value = 0;
  let end = from;
  for (; end - from < MOST_DIGITS && digitAt(text, end) < base; end += 1) value = value * base + digitAt(text, end);
  const isWhole = end > from && text[end] === SEMICOLON && value <= LAST_CODE_POINT;
  return isWhole ? { bytes: utf8(value), length: end + 1 - at } : undefined;
}

/** `&#115;`, `&#x73;` and the five entities of XML. */
const entities: Decoding = (text) =>
  viewOf(text, [AMPERSAND], (_, at) => {
    if (text[at + 1] === HASH) return numericAt(text, at);
    const named = NAMED.find(([name]) => startsWith(text, at, name));
    return named === undefined ? undefined : { bytes: [named[1]], length: named[0].length };
  });

/** Characters of base64, base64url and hexadecimal. */
const CODED = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[A-Za-z0-9+/_=-]/.test(String.fromCharCode(byte))));
/** A line of wrapped code is at least this long; RFC 2045 §6.8 has 76, PEM 64. */
const LEAST_LINE = 16;

function isCodedLine(text: Uint8Array, end: number): boolean {
  if (end < LEAST_LINE) return false;
  for (let index = end - LEAST_LINE; index < end; index += 1) if (CODED[text[index] ?? 0] !== 1) return false;
  return true;
}

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

/** Lines of base64 or hexadecimal without their breaks, and without the blanks that a folded header adds. */
const codedLines: Decoding = (text) =>
  viewOf(text, [LF, CR], (_, at) => {
    if (!isCodedLine(text, at)) return undefined;
    let end = text[at] === CR && text[at + 1] === LF ? at + 2 : at + 1;
    while (isBlank(text[end])) end += 1;
    return CODED[text[end] ?? 0] === 1 ? { bytes: [], length: end - at } : undefined;
  });

/** Whether `73:` stands here: a pair of digits between the same separators. */
function isSeparated(text: Uint8Array, at: number): boolean {
  const separator = text[at + 2];
  const isOne = separator === COLON || separator === SPACE || separator === DASH;
  return isOne && digitAt(text, at) < 16 && digitAt(text, at + 1) < 16;
}

/** Every eight pairs hold three whole ones from an offset that is a multiple of 9. */
const SAMPLE = 9;

/** Whether three pairs in a row are at one of the samples. */
function hasSeparatedHex(text: Uint8Array): boolean {
  for (let at = 0; at + SAMPLE < text.length; at += SAMPLE)
    for (let phase = at; phase < at + 3; phase += 1)
      if (isSeparated(text, phase) && isSeparated(text, phase + 3)) return true;
  return false;
}

/** `73:65:63`, `73 65 63` and `73-65-63` without what separates the pairs. */
const separatedHex: Decoding = (text) =>
  hasSeparatedHex(text)
    ? viewOf(text, [COLON, SPACE, DASH], (_, at) =>
        at >= 2 && isSeparated(text, at - 2) && digitAt(text, at + 1) < 16 && digitAt(text, at + 2) < 16
          ? { bytes: [], length: 1 }
          : undefined,
      )
    : undefined;

export const DECODINGS: readonly Decoding[] = [percent, backslashes, entities, codedLines, separatedHex];
