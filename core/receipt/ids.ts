/** Prefixes of ids (trust.md, conventions). */
export type IdPrefix =
  | 'rcpt_'
  | 'run_'
  | 'inc_'
  | 'dec_'
  | 'grt_'
  | 'rpl_'
  | 'swp_'
  | 'sig_'
  | 'dlv_'
  | 'req_'
  | 'mnt_';

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

/** Two bytes; higher bits are ignored. */
const pair = (first: number, second: number): string => `${hex[first & 0xff]}${hex[second & 0xff]}`;

/**
 * A UUID of version 7 in lower case (RFC 9562 §5.7): 48 bits of time, 74 random bits.
 * @param now ms since the epoch, 0 … 2^48 − 1
 * @param random returns that many random bytes
 */
export function uuidv7(now: number, random: (bytes: number) => Uint8Array): string {
  const chance = random(10);
  const byte = (at: number): number => chance[at] ?? 0;
  const time = Math.floor(now);
  const high = Math.floor(time / HIGH);
  const low = time % HIGH;
  const instant = `${pair(high >>> 8, high)}${pair(low >>> 24, low >>> 16)}-${pair(low >>> 8, low)}`;
  const version = pair((byte(0) & 0x0f) | 0x70, byte(1));
  const variant = pair((byte(2) & 0x3f) | 0x80, byte(3));
  const rest = `${pair(byte(4), byte(5))}${pair(byte(6), byte(7))}${pair(byte(8), byte(9))}`;
  return `${instant}-${version}-${variant}-${rest}`;
}

/** A new id: prefix and UUIDv7. @param now ms since the epoch */
export const newId = (prefix: IdPrefix, now: number, random: (bytes: number) => Uint8Array): string =>
  `${prefix}${uuidv7(now, random)}`;
