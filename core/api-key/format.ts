const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^orb_([0-9A-Za-z]{8})_([0-9A-Za-z]{32})_([0-9A-Za-z]{6})$/;
const KEY_ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const CRC_LENGTH = 6; // 62⁶ > 2³²

/** The full text of a key: `orb_<keyid 8>_<secret 32>_<crc 6>` in base62 (security.md §6.2). Never log it. */
export type ApiKeyText = string & { readonly __brand: 'ApiKeyText' };

export interface ParsedApiKey {
  readonly keyId: string;
  readonly text: ApiKeyText;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 (IEEE 802.3) of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: number, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest = Math.floor(rest / 62))
    digits = ALPHABET.charAt(rest % 62) + digits;
  return digits;
}

const checksum = (body: string): string => base62(crc32(body), CRC_LENGTH);
const hasShape = (text: string): text is ApiKeyText => {
  const crc = SHAPE.exec(text)?.[3];
  return crc !== undefined && crc === checksum(text.slice(0, -CRC_LENGTH - 1));
};

/** @returns undefined when the shape or the CRC is wrong: a typing mistake, or not a key of this platform */
export const parseApiKey = (text: string): ParsedApiKey | undefined =>
  hasShape(text) ? { keyId: text.slice(4, 4 + KEY_ID_LENGTH), text } : undefined;

/** Uniform digits: only the byte values below 248 = 4 · 62 are used. The others would favour the first digits. */
function randomDigits(length: number, random: (bytes: number) => Uint8Array): string {
  let digits = '';
  while (digits.length < length) {
    for (const byte of random(length)) {
      if (byte < 248 && digits.length < length) digits += ALPHABET.charAt(byte % 62);
    }
  }
  return digits;
}

/**
 * Makes a new key; its secret has log₂ 62³² ≈ 190 bits.
 * @param random returns the given number of bytes of a cryptographic source
 */
export function newApiKey(random: (bytes: number) => Uint8Array): ParsedApiKey {
  const body = `orb_${randomDigits(KEY_ID_LENGTH, random)}_${randomDigits(SECRET_LENGTH, random)}`;
  const key = parseApiKey(`${body}_${checksum(body)}`);
  if (key === undefined) throw new TypeError('the random source gives no bytes');
  return key;
}
