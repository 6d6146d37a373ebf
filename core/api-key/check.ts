import { timingSafeEqual } from 'node:crypto';
import { inCidrs } from '../network/cidr.ts';
import type { ApiKeyRecord } from './record.ts';

/** The key of one request, and where the request came from. */
export interface PresentedKey {
  /** SHA-256 of the key text, 32 bytes. */
  readonly sha256: Uint8Array;
  /** The peer's IP address, as the socket gives it. */
  readonly address: string;
  /** Ms since epoch. */
  readonly now: number;
}

const NOBODY = new Uint8Array(32);

/** True from `notBefore` up to, not including, `expiresAt`. */
export const isCurrent = ({ notBefore, expiresAt }: ApiKeyRecord, now: number): boolean =>
  notBefore <= now && now < expiresAt;

/**
 * Checks a presented key (security.md §6.2): first the hash, then validity, then the address.
 * An unknown key id costs the same comparison as a wrong secret.
 * @param record undefined when no key has the presented id
 */
export function checkKey(record: ApiKeyRecord | undefined, presented: PresentedKey): 'ok' | 'unauthenticated' | 'cidr' {
  const same = timingSafeEqual(presented.sha256, record?.sha256 ?? NOBODY);
  if (!same || record === undefined || !isCurrent(record, presented.now)) return 'unauthenticated';
  return record.cidrs.length === 0 || inCidrs(presented.address, record.cidrs) ? 'ok' : 'cidr';
}
