/** DER (X.690), the parts that a certificate needs. Every function returns one encoded value. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

function lengthOf(size: number): Buffer {
  if (size < 0x80) return Buffer.of(size);
  const bytes = size < 0x100 ? [size] : [size >> 8, size & 0xff];
  if (size > 0xffff) throw new RangeError('a DER value above 64 KiB');
  return Buffer.of(0x80 | bytes.length, ...bytes);
}

export function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(tag), lengthOf(content.byteLength), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(TAG.sequence, Buffer.concat(parts));
export const setOf = (...parts: readonly Uint8Array[]): Buffer => tagged(TAG.set, Buffer.concat(parts));
export const octetString = (bytes: Uint8Array): Buffer => tagged(TAG.octetString, bytes);
export const utf8 = (text: string): Buffer => tagged(TAG.utf8String, Buffer.from(text, 'utf8'));
export const booleanTrue = (): Buffer => tagged(TAG.boolean, Buffer.of(0xff));

/** @param unused number of bits at the end that don't count, 0–7 */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer =>
  tagged(TAG.bitString, Buffer.concat([Buffer.of(unused), bytes]));

/** A positive integer; big-endian, the first byte not 0. */
export const positiveInteger = (bytes: Uint8Array): Buffer =>
  tagged(TAG.integer, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));

function base128(value: number): readonly number[] {
  const rest = value < 0x80 ? [] : base128(Math.floor(value / 0x80)).map((byte) => byte | 0x80);
  return [...rest, value % 0x80];
}

/** @param text dotted, as `2.5.29.17` */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/**
 * RFC 5280 §4.1.2.5: the year has two digits until 2049, and four after it.
 * @param ms since the epoch; parts of a second are dropped
 */
export function time(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  const short = digits < '2050';
  return tagged(short ? TAG.utcTime : TAG.generalizedTime, Buffer.from(short ? digits.slice(2) : digits, 'latin1'));
}
