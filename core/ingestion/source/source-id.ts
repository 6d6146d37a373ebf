import { encodeUtf8 } from '../../json/bytes.ts';
import type { Hmac } from '../../receipt/caller-tag.ts';

// Crockford's digits, without i, l, o and u.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARACTERS = 26;
const BITS = 5;

/** The first characters of the bytes in base32, in lower case. */
function base32(bytes: Uint8Array, characters: number): string {
  let text = '';
  let pending = 0;
  let count = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    count += 8;
    while (count >= BITS) {
      count -= BITS;
      text += ALPHABET.charAt((pending >> count) & 31);
    }
    pending &= (1 << count) - 1;
  }
  return text.slice(0, characters);
}

/** What makes the URL of a source. */
export interface SourcePath {
  readonly namespace: string;
  readonly name: string;
  readonly pathEpoch: number;
}

/**
 * The id in the URL of a source (ingestion.md §5): `src_` and 130 bits of an HMAC, so it is the same after a restart or
 * a re-creation and nothing has to be stored. It is opaque, and no credential.
 * @param key the ingest-id key of the platform, 32 bytes
 */
export const sourceIdOf = (key: Uint8Array, { namespace, name, pathEpoch }: SourcePath, hmac: Hmac): string =>
  `src_${base32(hmac(key, encodeUtf8(`${namespace}/${name}/${pathEpoch}`)), CHARACTERS)}`;
