import { decodeBase64Url, encodeBase64Url } from '../json/base64.ts';
import type { JsonObject } from '../json/json-value.ts';
import { closed, httpsOrigin, matching, oneOf, text } from '../json/shape.ts';
import { exactly, seconds } from './credential-schema.ts';
import { LIST_BITS, secondsText, statusListUrl, W3C_CONTEXT } from './credential.ts';

/** Validity of a status list, ms: it is renewed every day, and a copy that was kept longer proves nothing. */
const STATUS_LIST_MS = 48 * 3_600_000;

/** Bytes of a list without compression, at least: 131 072 bits. */
export const LIST_BYTES = LIST_BITS / 8;

/** The bits of revoked certificates: a Bitstring Status List 1.0 as a credential (trust.md §6.1). */
export type StatusListCredential = {
  readonly '@context': readonly string[];
  readonly type: readonly string[];
  readonly id: string;
  readonly issuer: string;
  readonly validFrom: string;
  readonly validUntil: string;
  readonly credentialSubject: {
    readonly id: string;
    readonly type: 'BitstringStatusList';
    readonly statusPurpose: 'revocation';
    /** `u` (multibase) and base64url of the gzipped bits. */
    readonly encodedList: string;
  };
};

/** What the issuer decides about a status list. */
export interface StatusListFacts {
  readonly issuer: string;
  /** Number of the list, from 1. */
  readonly list: number;
  /** ms since epoch */
  readonly issuedAt: number;
  /** `LIST_BYTES` bytes; bit 0 is the most significant bit of the first byte. */
  readonly bits: Uint8Array;
}

/** Compresses bytes to the gzip format. Injected: core has no compression of its own. */
export type Gzip = (bytes: Uint8Array) => Uint8Array;

/** @returns undefined: the bytes are not gzip, or hold more than `maxBytes` */
export type Gunzip = (bytes: Uint8Array, maxBytes: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/** The credential of a status list. @throws RangeError it has fewer bits than the standard asks for */
export function makeStatusList({ issuer, list, issuedAt, bits }: StatusListFacts, gzip: Gzip): StatusListCredential {
  if (bits.length < LIST_BYTES) throw new RangeError(`a status list has at least ${LIST_BYTES} bytes`);
  const id = statusListUrl(issuer, list);
  const validFrom = secondsText(issuedAt);
  return {
    '@context': [W3C_CONTEXT],
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    id,
    issuer,
    validFrom,
    validUntil: secondsText(Date.parse(validFrom) + STATUS_LIST_MS),
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: `u${encodeBase64Url(gzip(bits))}`,
    },
  };
}

// A list of 131 072 random bits has 22 000 characters.
const MAX_ENCODED = 1_048_576;

const members = closed({
  '@context': exactly(W3C_CONTEXT),
  type: exactly('VerifiableCredential', 'BitstringStatusListCredential'),
  id: text(512),
  issuer: httpsOrigin,
  validFrom: seconds,
  validUntil: seconds,
  credentialSubject: closed({
    id: text(512),
    type: oneOf('BitstringStatusList'),
    statusPurpose: oneOf('revocation'),
    encodedList: matching(/^u[A-Za-z0-9_-]+$/),
  }),
});

const hasMembers = (value: JsonObject): value is JsonObject & StatusListCredential => members(value);

/** Whether a payload is the credential of a status list, closed as ours are. */
export const isStatusList = (value: JsonObject): value is JsonObject & StatusListCredential =>
  hasMembers(value) &&
  value.credentialSubject.id === `${value.id}#list` &&
  value.id.startsWith(`${value.issuer}/`) &&
  value.credentialSubject.encodedList.length <= MAX_ENCODED;

// More than any list that we issue, and little enough to unpack from a hostile file.
const MAX_LIST_BYTES = 16 * LIST_BYTES;

/** The bits of a list. @returns undefined: they are not encoded as they must be, or too few or too many */
export async function bitsOf(list: StatusListCredential, gunzip: Gunzip): Promise<Uint8Array | undefined> {
  const packed = decodeBase64Url(list.credentialSubject.encodedList.slice(1));
  const bits = packed === undefined ? undefined : await gunzip(packed, MAX_LIST_BYTES);
  return bits === undefined || bits.length < LIST_BYTES ? undefined : bits;
}

/** One bit of a list. @param place from 0; bit 0 is the most significant of the first byte */
export const bitAt = (bits: Uint8Array, place: number): boolean =>
  (((bits[Math.floor(place / 8)] ?? 0) >> (7 - (place % 8))) & 1) === 1;

/** A copy with one bit set. @param place from 0, within the list */
export function withBit(bits: Uint8Array, place: number): Uint8Array {
  const copy = bits.slice();
  const at = Math.floor(place / 8);
  copy[at] = (copy[at] ?? 0) | (1 << (7 - (place % 8)));
  return copy;
}
