const COMMON = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ascii = new TextDecoder();

interface Alphabet {
  /** Two characters for each 12 bits, in memory order. This halves the look-ups of a table for 6 bits. */
  readonly pairs: Uint16Array;
  /** Value of a character code; 255 = not in the alphabet. */
  readonly values: Uint8Array;
}

function alphabetOf(last: string): Alphabet {
  const codes = Uint8Array.from(COMMON + last, (character) => character.charCodeAt(0));
  const values = new Uint8Array(256).fill(255);
  codes.forEach((code, value) => (values[code] = value));
  const pairs = new Uint8Array(2 * 4096);
  pairs.forEach((_, at) => (pairs[at] = codes[at % 2 === 0 ? at >> 7 : (at >> 1) & 63] ?? 0));
  return { pairs: new Uint16Array(pairs.buffer), values };
}

const STANDARD = alphabetOf('+/');
const URL_SAFE = alphabetOf('-_');

function encode(bytes: Uint8Array, pairs: Uint16Array): string {
  const groups = Math.ceil(bytes.length / 3);
  const out = new Uint16Array(2 * groups);
  for (let group = 0, at = 0; group < groups; group += 1, at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    out[2 * group] = pairs[bits >> 12] ?? 0;
    out[2 * group + 1] = pairs[bits & 4095] ?? 0;
  }
  return ascii.decode(new Uint8Array(out.buffer, 0, Math.ceil((bytes.length * 4) / 3)));
}

/** @returns undefined unless `encode` could have written the text: alphabet, possible length, unused bits zero */
function decode(text: string, values: Uint8Array): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  const missing = (4 - (text.length % 4)) % 4;
  // Groups of four characters. The last group is filled up with zero bits, and what it writes beyond the end is dropped.
  const filled = missing === 0 ? text : text + 'A'.repeat(missing);
  let seen = 0;
  let bits = 0;
  for (let at = 0, to = 0; at < filled.length; at += 4, to += 3) {
    const a = values[filled.charCodeAt(at)] ?? 255;
    const b = values[filled.charCodeAt(at + 1)] ?? 255;
    const c = values[filled.charCodeAt(at + 2)] ?? 255;
    const d = values[filled.charCodeAt(at + 3)] ?? 255;
    seen |= a | b | c | d;
    bits = (a << 18) | (b << 12) | (c << 6) | d;
    bytes[to] = bits >> 16;
    bytes[to + 1] = bits >> 8;
    bytes[to + 2] = bits;
  }
  const isInAlphabet = seen < 64;
  return isInAlphabet && (bits & ((1 << (8 * missing)) - 1)) === 0 ? bytes : undefined;
}

/** RFC 4648 §5 without padding. */
export const encodeBase64Url = (bytes: Uint8Array): string => encode(bytes, URL_SAFE.pairs);

/** Strict: another spelling of the same bytes (padding, other trailing bits) gives undefined (trust.md §1.2). */
export const decodeBase64Url = (text: string): Uint8Array | undefined => decode(text, URL_SAFE.values);

/** RFC 4648 §4 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encode(bytes, STANDARD.pairs);
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** Strict decoder like `decodeBase64Url`, but the full padding is required. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  return decode(text.replace(/={1,2}$/, ''), STANDARD.values);
}
