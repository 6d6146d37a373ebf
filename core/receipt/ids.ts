/** Prefixes of ids (trust.md, conventions). */
export type IdPrefix = 'rcpt_' | 'run_' | 'inc_' | 'dec_' | 'rpl_' | 'swp_' | 'sig_' | 'dlv_' | 'req_';

export type ReceiptId = string & { readonly __brand: 'ReceiptId' };
export type RunId = string & { readonly __brand: 'RunId' };

const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const RECEIPT_ID = new RegExp(`^rcpt_${UUID_V7}$`);
const RUN_ID = new RegExp(`^run_${UUID_V7}$`);

/** Type guards that make the branded ids. */
export const isReceiptId = (text: string): text is ReceiptId => RECEIPT_ID.test(text);
export const isRunId = (text: string): text is RunId => RUN_ID.test(text);

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const HIGH = 2 ** 32;

const pair = (bytes: Uint8Array, at: number): string => `${hex[bytes[at] ?? 0]}${hex[bytes[at + 1] ?? 0]}`;

/**
 * A UUID of version 7 in lower case (RFC 9562 §5.7): 48 bits of time, 74 random bits.
 * @param now ms since the epoch, 0 … 2^48 − 1
 * @param random returns that many random bytes
 */
export function uuidv7(now: number, random: (bytes: number) => Uint8Array): string {
  const chance = random(10);
  const time = Math.floor(now);
  const high = Math.floor(time / HIGH)
    .toString(16)
    .padStart(4, '0');
  const low = (time % HIGH).toString(16).padStart(8, '0');
  const text = high + low;
  const version = `7${pair(chance, 0).slice(1)}`;
  const variant = `${hex[((chance[2] ?? 0) & 0x3f) | 0x80]}${hex[chance[3] ?? 0]}`;
  return `${text.slice(0, 8)}-${text.slice(8)}-${version}-${variant}-${pair(chance, 4)}${pair(chance, 6)}${pair(chance, 8)}`;
}

/** A new id: prefix and UUIDv7. @param now ms since the epoch */
export const newId = (prefix: IdPrefix, now: number, random: (bytes: number) => Uint8Array): string =>
  `${prefix}${uuidv7(now, random)}`;
