/** How large a payload may be. */
export interface PayloadBounds {
  /** Deepest objects and lists. */
  readonly depth: number;
  readonly values: number;
  /** Names of all objects together. */
  readonly keys: number;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Punctuation outside of texts. Everything else counts as 0. */
const [COMMA, COLON, OPEN, CLOSE] = [1, 2, 3, 4];
const KINDS = new Uint8Array(256);
for (const [characters, kind] of [
  [',', COMMA],
  [':', COLON],
  ['[{', OPEN],
  [']}', CLOSE],
] as const)
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind;

/** Position behind the text that begins after a quote. */
function endOfText(json: Uint8Array, from: number): number {
  for (let at = from; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return json.length;
}

/** How often each kind of punctuation came. */
class Punctuation {
  readonly #counts = new Uint32Array(5);
  readonly #bounds: PayloadBounds;

  constructor(bounds: PayloadBounds) {
    this.#bounds = bounds;
  }

  #of(kind: number): number {
    return this.#counts[kind] ?? 0;
  }

  /** Each comma is followed by a value, and each list or object is one. @returns whether a bound is exceeded */
  add(kind: number): boolean {
    const { depth, values, keys } = this.#bounds;
    this.#counts[kind] = this.#of(kind) + 1;
    const opened = this.#of(OPEN);
    const isDeep = opened - this.#of(CLOSE) > depth + 1;
    return isDeep || opened > values || this.#of(COMMA) >= values || this.#of(COLON) > keys;
  }
}

/**
 * Whether JSON has more values, names or levels than a payload may have, by its punctuation alone: 1 MiB takes some
 * milliseconds, and a parser half a second. Text that is no JSON gives any answer.
 */
export function exceedsBounds(json: Uint8Array, bounds: PayloadBounds): boolean {
  const found = new Punctuation(bounds);
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfText(json, at + 1) - 1;
    else {
      const kind = KINDS[byte] ?? 0;
      if (kind > 0 && found.add(kind)) return true;
    }
  }
  return false;
}
