import { decodeBase64 } from '../../json/base64.ts';

/** Longest signature header, characters; a longer one holds no signature. */
const MAX_HEADER = 4096;
/** Most signatures of one header: vendors send two while they rotate. */
const MAX_SIGNATURES = 8;

/** How bytes of a signature are written. */
export type SignatureEncoding = 'hex' | 'base64';

const HEX = /^(?:[0-9a-f]{2})+$/i;

/** @returns undefined unless every character is a hexadecimal digit, two for each byte */
export function decodeHex(text: string): Uint8Array | undefined {
  if (!HEX.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

/** Decodes strictly. @returns undefined for another alphabet, wrong padding or no bytes */
export function decodeSignature(text: string, encoding: SignatureEncoding): Uint8Array | undefined {
  if (encoding === 'hex') return decodeHex(text);
  const bytes = decodeBase64(text);
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

/** Parts of a header; none when there are more than a sender needs. */
function partsOf(header: string, separator: string): readonly string[] {
  if (header.length > MAX_HEADER) return [];
  const parts = separator === '' ? [header] : header.split(separator);
  return parts.length > MAX_SIGNATURES ? [] : parts;
}

/** How a header lists its signatures. */
export interface ListForm {
  /** Text before each signature, such as `v1=`. */
  readonly prefix: string;
  /** Text between signatures; empty: the header is one signature. */
  readonly separator: string;
  readonly encoding: SignatureEncoding;
}

/** Signatures of a header such as `v1=<hex>,v1=<hex>`. Parts without the prefix are ignored. */
export function listedSignatures(header: string, { prefix, separator, encoding }: ListForm): readonly Uint8Array[] {
  return partsOf(header, separator).flatMap((part) => {
    const bytes = part.startsWith(prefix) ? decodeSignature(part.slice(prefix.length), encoding) : undefined;
    return bytes ?? [];
  });
}

/** Names in a header of pairs, such as Stripe's `t=1795168800,v1=<hex>`. */
export interface PairNames {
  readonly timestamp: string;
  readonly signature: string;
}

/** What a header of pairs holds. */
export interface Pairs {
  readonly timestamp: string;
  readonly signatures: readonly Uint8Array[];
}

/** @returns undefined unless the header has exactly one timestamp */
export function pairedSignatures(header: string, names: PairNames, encoding: SignatureEncoding): Pairs | undefined {
  const pairs = partsOf(header, ',').map((part) => {
    const at = part.indexOf('=');
    return { name: part.slice(0, Math.max(0, at)).trim(), value: part.slice(at + 1) };
  });
  const [timestamp, ...others] = pairs.filter(({ name }) => name === names.timestamp);
  if (timestamp === undefined || others.length > 0) return undefined;
  const signatures = pairs
    .filter(({ name }) => name === names.signature)
    .flatMap(({ value }) => decodeSignature(value, encoding) ?? []);
  return { timestamp: timestamp.value, signatures };
}

/** A signature of Standard Webhooks: `v1` is HMAC-SHA-256, `v1a` Ed25519. */
export interface VersionedSignature {
  readonly version: 'v1' | 'v1a';
  readonly bytes: Uint8Array;
}

/** Signatures of `webhook-signature`, which blanks divide. Other versions are ignored. */
export function versionedSignatures(header: string): readonly VersionedSignature[] {
  return partsOf(header, ' ').flatMap((part) => {
    const [version, text, ...more] = part.split(',');
    if ((version !== 'v1' && version !== 'v1a') || text === undefined || more.length > 0) return [];
    const bytes = decodeSignature(text, 'base64');
    return bytes === undefined ? [] : [{ version, bytes }];
  });
}
