/** How a text stands in a file: in double quotes, as in JSON, in single quotes, as a block, or as it is. */
type Style = 'double' | 'single' | 'block' | 'plain';

const styleOf = (first: string | undefined): Style => {
  if (first === '"') return 'double';
  if (first === "'") return 'single';
  return first === '|' || first === '>' ? 'block' : 'plain';
};

const isSpace = (unit: string | undefined): boolean => unit !== undefined && /\s/.test(unit);

// Escapes of JSON and YAML by the letter after the backslash: how many digits follow.
const DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);
// Escapes of what JavaScript takes for white space, and a line that goes on.
const BLANK_ESCAPES = 'nrtfvLP_ \t\r\n';

/** What stands at one place of the file: its length there, and how many visible units of the text it is. */
interface Piece {
  readonly length: number;
  readonly visible: number;
}

function escapePiece(file: string, at: number): Piece {
  const letter = file[at + 1] ?? '';
  const length = 2 + (DIGITS.get(letter) ?? 0);
  if (BLANK_ESCAPES.includes(letter)) return { length, visible: 0 };
  if (length === 2) return { length, visible: 1 };
  const code = Number.parseInt(file.slice(at + 2, at + length), 16);
  const text = code <= 0x10ffff ? String.fromCodePoint(code) : '';
  return { length, visible: isSpace(text) ? 0 : text.length };
}

function pieceAt(file: string, at: number, style: Style): Piece {
  const unit = file[at];
  if (style === 'double' && unit === '\\') return escapePiece(file, at);
  if (style === 'single' && file.startsWith("''", at)) return { length: 2, visible: 1 };
  return { length: 1, visible: isSpace(unit) ? 0 : 1 };
}

/** Where the text begins behind its quote, or in the line behind the head of a block. */
function beginOf(file: string, offset: number, style: Style): number {
  if (style === 'plain') return offset;
  if (style !== 'block') return offset + 1;
  const end = file.indexOf('\n', offset);
  return end < 0 ? file.length : end + 1;
}

const visibleIn = (text: string): number => text.replaceAll(/\s/g, '').length;

/**
 * The place in a file of one character of a text that stands in it. Quotes, escapes, folded lines and indentation change
 * white space alone and the length of characters, so characters that are not white space are counted.
 * @param offset where the text begins in the file, with its quote or the head of its block
 * @param at the character's offset in the text
 * @returns the offset in the file; that of the whole text when it stands elsewhere, as with an alias of YAML
 */
export function offsetInside(file: string, offset: number, text: string, at: number): number {
  if (file[offset] === '*') return offset;
  const style = styleOf(file[offset]);
  let place = beginOf(file, offset, style);
  for (let left = visibleIn(text.slice(0, at)); left > 0 && place < file.length;) {
    const { length, visible } = pieceAt(file, place, style);
    left -= visible;
    place += length;
  }
  if (visibleIn(text.slice(at)) === 0) return place;
  while (place < file.length) {
    const { length, visible } = pieceAt(file, place, style);
    if (visible > 0) break;
    place += length;
  }
  return place;
}
