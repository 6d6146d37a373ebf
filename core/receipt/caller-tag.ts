import { encodeUtf8 } from '../json/bytes.ts';
import { encodeHex } from '../json/hex.ts';

/** HMAC-SHA-256, 32 bytes out. */
export type Hmac = (key: Uint8Array, message: Uint8Array) => Uint8Array;

const TAG_BYTES = 8;

/**
 * Tag of a calling tenant, linkable within one month only (trust.md §1.1).
 * @param tagKey 32 bytes
 * @param finishedAt ISO time; its month chooses the key
 */
export function callerTag(tagKey: Uint8Array, tenant: string, finishedAt: string, hmac: Hmac): string {
  const monthKey = hmac(tagKey, encodeUtf8(`orb-caller-tag/${finishedAt.slice(0, 7)}`));
  return `ct_${encodeHex(hmac(monthKey, encodeUtf8(tenant)).subarray(0, TAG_BYTES))}`;
}
