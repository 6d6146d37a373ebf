import { MARK } from './marked.ts';

/** The places of the placeholders of a JSON text, in order; or why they can't be filled. */
export type JsonReading =
  | { readonly kind: 'read'; readonly places: readonly JsonPlace[] }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'too-deep' }
  /** A placeholder in a member's name. Two names could become the same, and the later member would win. */
  | { readonly kind: 'in-name' };

/** Inside a string, or as a whole value. */
export type JsonPlace = 'string' | 'value';

/** Levels of objects and arrays in a template; bodies of real providers stay below 20. */
const MAX_DEPTH = 64;

interface StringEnd {
  /** Index of the closing quote, or the text's length without one. */
  readonly end: number;
  readonly holes: number;
}

function readString(text: string, start: number): StringEnd {
  let holes = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') return { end: at, holes };
    if (char === MARK) holes += 1;
    // A mark after a backslash is counted: the sample then holds `\x`, which is not JSON.
    else if (char === '\\' && text[at + 1] !== MARK) at += 1;
  }
  return { end: text.length, holes };
}

const NAME_FOLLOWS = /[ \t\r\n]*:/y;

function isName(text: string, quote: number): boolean {
  NAME_FOLLOWS.lastIndex = quote + 1;
  return NAME_FOLLOWS.test(text);
}

function depthChange(char: string | undefined): number {
  if (char === '{' || char === '[') return 1;
  return char === '}' || char === ']' ? -1 : 0;
}

interface Places {
  readonly places: readonly JsonPlace[];
  readonly inName: boolean;
}

/** @returns undefined when nested too deep */
function findPlaces(text: string): Places | undefined {
  const places: JsonPlace[] = [];
  let inName = false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    depth += depthChange(char);
    if (depth > MAX_DEPTH) return undefined;
    if (char === MARK) places.push('value');
    if (char === '"') {
      const { end, holes } = readString(text, at + 1);
      for (let hole = 0; hole < holes; hole += 1) places.push('string');
      inName ||= holes > 0 && isName(text, end);
      at = end;
    }
  }
  return { places, inName };
}

/** The text with a sample in each place: `x` in strings. Values become `null`, which can't merge with a neighbour. */
function sampleOf(text: string, places: readonly JsonPlace[]): string {
  const [first = '', ...rest] = text.split(MARK);
  return first + rest.map((literal, index) => (places[index] === 'string' ? 'x' : 'null') + literal).join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses marked text as JSON (RFC 8259) with placeholders in it. The literal text is kept as written: numbers, order of
 * members and white space reach the provider unchanged. Linear in the text.
 */
export function readJsonTemplate(text: string): JsonReading {
  const found = findPlaces(text);
  if (found === undefined) return { kind: 'too-deep' };
  if (!isJson(sampleOf(text, found.places))) return { kind: 'not-json' };
  return found.inName ? { kind: 'in-name' } : { kind: 'read', places: found.places };
}
