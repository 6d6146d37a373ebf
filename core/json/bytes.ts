const encoder = new TextEncoder();
// `ignoreBOM` keeps the mark in the text, where JSON.parse refuses it. Otherwise two byte strings would give one text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 bytes of a text; a lone surrogate becomes U+FFFD, so check `isWellFormed` where it matters. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** @returns the text, a byte order mark included as U+FEFF; undefined when the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** A copy of the parts, one after the other. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
