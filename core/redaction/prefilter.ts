import type { Pattern } from './automaton.ts';

/** Length of the pieces that are looked up. */
const PIECE = 3;
/** A longer reach gains nothing. */
const MAX_HEAD = 32;
const TABLE_BITS = 65_536;

/**
 * Finds where a pattern may begin, from one piece of three bytes in every `reach + 1`. The pieces of the first bytes of
 * all patterns are hashed into one bit table. A text without secrets is mostly skipped, and every match is still found.
 */
export interface Prefilter {
  /** A piece at offset i covers the patterns that begin in [i − reach, i]. */
  readonly reach: number;
  readonly bits: Uint8Array;
  /** The looked-up parts of all patterns are ASCII, so pieces of a string's UTF-16 units may be looked up too. */
  readonly ascii: boolean;
}

/** The hash of three neighbours. XOR and shifts also work on UTF-16 units. */
const slotOf = (first: number, second: number, third: number): number =>
  (first ^ (second << 6) ^ (third << 11)) & (TABLE_BITS - 1);

/** @param patterns each at least 8 bytes */
export function prefilterOf(patterns: readonly Pattern[]): Prefilter {
  const head = patterns.reduce((least, { bytes }) => Math.min(least, bytes.length), MAX_HEAD);
  const reach = head - PIECE;
  const bits = new Uint8Array(TABLE_BITS / 8);
  let ascii = true;
  for (const { bytes } of patterns) {
    const start = bytes.subarray(0, head);
    if (start.some((byte) => byte > 127)) ascii = false;
    for (let index = 0; index <= reach; index += 1) {
      const slot = slotOf(start[index] ?? 0, start[index + 1] ?? 0, start[index + 2] ?? 0);
      bits[slot >> 3] = (bits[slot >> 3] ?? 0) | (1 << (slot & 7));
    }
  }
  return { reach, bits, ascii };
}

/**
 * The first offset, in steps of `reach + 1` from `from + reach`, whose piece occurs in a pattern.
 * @param from everything that begins before it is already decided
 * @returns −1: no pattern begins at or after `from`
 */
export function nextCandidate({ reach, bits }: Prefilter, bytes: Uint8Array, from: number): number {
  const last = bytes.length - PIECE;
  for (let index = from + reach; index <= last; index += reach + 1) {
    const slot = slotOf(bytes[index] ?? 0, bytes[index + 1] ?? 0, bytes[index + 2] ?? 0);
    if (((bits[slot >> 3] ?? 0) >> (slot & 7)) & 1) return index;
  }
  return -1;
}

/**
 * True when the text holds no pattern, also not an encoded one: each ASCII byte of a pattern takes at least one character of
 * the text. Most texts of an answer that is made to cost time are short.
 */
export const isTooShort = ({ reach, ascii }: Prefilter, text: string): boolean => ascii && text.length < reach + PIECE;

/** False when the text holds no pattern. It avoids encoding the text, which costs more than this check. */
export function mayContain({ reach, bits, ascii }: Prefilter, text: string): boolean {
  if (!ascii) return true;
  const last = text.length - PIECE;
  for (let index = reach; index <= last; index += reach + 1) {
    const slot = slotOf(text.charCodeAt(index), text.charCodeAt(index + 1), text.charCodeAt(index + 2));
    if (((bits[slot >> 3] ?? 0) >> (slot & 7)) & 1) return true;
  }
  return false;
}
