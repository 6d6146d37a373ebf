import { decodeBase64 } from '../../json/base64.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../json/bytes.ts';
import { singleHeader, type Delivery } from './delivery.ts';
import type { WebhookPrimitives } from './primitives.ts';
import type { EcdsaScheme, HmacScheme } from './scheme.ts';
import { decodeSignature, listedSignatures, pairedSignatures, versionedSignatures } from './signature-headers.ts';

/** Which secrets match, and what the signature covers beside the body. */
export interface SignatureCheck {
  /** One answer for each secret, in their order. */
  readonly matches: readonly boolean[];
  /** Undefined unless it is signed. */
  readonly id: string | undefined;
  /** Text of a signed timestamp; undefined when the scheme signs none. */
  readonly timestamp: string | undefined;
}

const same = (one: Uint8Array, other: Uint8Array, { timingSafeEqual }: WebhookPrimitives): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

/** Tries every pair and stops at none, so that the time does not tell which one matched. */
function tryPairs<Secret, Signature>(
  secrets: readonly Secret[],
  signatures: readonly Signature[],
  isMatch: (secret: Secret, signature: Signature) => boolean,
): readonly boolean[] {
  return secrets.map((secret) => signatures.map((signature) => isMatch(secret, signature)).includes(true));
}

const NO_MATCH: SignatureCheck = { matches: [], id: undefined, timestamp: undefined };

interface Signed {
  readonly signatures: readonly Uint8Array[];
  readonly timestamp: string | undefined;
}

function signedBy(scheme: HmacScheme, delivery: Delivery): Signed | undefined {
  const header = singleHeader(delivery, scheme.signatureHeader);
  if (header === undefined) return undefined;
  if (scheme.pairs !== undefined) return pairedSignatures(header, scheme.pairs, scheme.encoding);
  const { timestampHeader } = scheme;
  const timestamp = timestampHeader === undefined ? undefined : singleHeader(delivery, timestampHeader);
  return { signatures: listedSignatures(header, scheme), timestamp };
}

const PLACEHOLDER = /(\{(?:body|timestamp|id)\})/;

/** The bytes that a template stands for. @returns undefined when a part of it is missing in the delivery */
function contentOf(
  template: string,
  body: Uint8Array,
  parts: Omit<SignatureCheck, 'matches'>,
): Uint8Array[] | undefined {
  const bytes: Uint8Array[] = [];
  for (const piece of template.split(PLACEHOLDER)) {
    const text = piece === '{timestamp}' ? parts.timestamp : piece === '{id}' ? parts.id : piece;
    if (text === undefined) return undefined;
    bytes.push(piece === '{body}' ? body : encodeUtf8(text));
  }
  return bytes;
}

/** HMAC over a template. Only what the template names is signed. */
export function checkHmac(
  scheme: HmacScheme,
  delivery: Delivery,
  secrets: readonly Uint8Array[],
  primitives: WebhookPrimitives,
): SignatureCheck {
  const signed = signedBy(scheme, delivery);
  if (signed === undefined) return NO_MATCH;
  const { signedContent, algorithm, idHeader } = scheme;
  const parts = {
    timestamp: signedContent.includes('{timestamp}') ? signed.timestamp : undefined,
    id: signedContent.includes('{id}') && idHeader !== undefined ? singleHeader(delivery, idHeader) : undefined,
  };
  const content = contentOf(signedContent, delivery.body, parts);
  if (content === undefined) return NO_MATCH;
  const expected = secrets.map((secret) => primitives.hmac(algorithm, secret, content));
  const matches = tryPairs(expected, signed.signatures, (one, other) => same(one, other, primitives));
  return { ...parts, matches };
}

const PEM = /^-----BEGIN PUBLIC KEY-----\s*([A-Za-z0-9+/=\s]+?)\s*-----END PUBLIC KEY-----\s*$/;

/** DER of a public key that is written as PEM or as base64. */
function publicKeyOf(secret: Uint8Array): Uint8Array | undefined {
  const text = decodeUtf8(secret);
  if (text === undefined) return undefined;
  const inside = PEM.exec(text)?.[1] ?? text;
  return decodeSignature(inside.replaceAll(/\s/g, ''), 'base64');
}

/** ECDSA over timestamp and body, one after the other. */
export function checkEcdsa(
  scheme: EcdsaScheme,
  delivery: Delivery,
  secrets: readonly Uint8Array[],
  primitives: WebhookPrimitives,
): SignatureCheck {
  const header = singleHeader(delivery, scheme.signatureHeader);
  const timestamp = singleHeader(delivery, scheme.timestampHeader);
  if (header === undefined || timestamp === undefined) return NO_MATCH;
  const signatures = listedSignatures(header, { prefix: '', separator: '', encoding: 'base64' });
  const message = concatBytes(encodeUtf8(timestamp), delivery.body);
  const matches = tryPairs(secrets, signatures, (secret, signature) => {
    const key = publicKeyOf(secret);
    return key !== undefined && primitives.ecdsaVerify(key, signature, message);
  });
  return { matches, id: undefined, timestamp };
}

const HMAC_SECRET = 'whsec_';
const PUBLIC_KEY = 'whpk_';
/** The standard asks for 24 to 64 bytes; the key of Svix's own published example has 18. */
const KEY_BYTES = { least: 16, most: 64 };

/** A secret of Standard Webhooks with the version of the signatures that it verifies. */
interface VersionedKey {
  readonly version: 'v1' | 'v1a';
  readonly bytes: Uint8Array;
}

/** @returns undefined unless the secret is `whsec_` or `whpk_` and base64 of a key of a right length */
export function standardWebhooksKey(secret: Uint8Array): VersionedKey | undefined {
  const text = decodeUtf8(secret) ?? '';
  const isPublic = text.startsWith(PUBLIC_KEY);
  if (!isPublic && !text.startsWith(HMAC_SECRET)) return undefined;
  const bytes = decodeBase64(text.slice((isPublic ? PUBLIC_KEY : HMAC_SECRET).length));
  if (bytes === undefined) return undefined;
  if (isPublic) return bytes.length === 32 ? { version: 'v1a', bytes } : undefined;
  const isKey = bytes.length >= KEY_BYTES.least && bytes.length <= KEY_BYTES.most;
  return isKey ? { version: 'v1', bytes } : undefined;
}

const FULL_STOP = encodeUtf8('.');

/** Standard Webhooks: `id.timestamp.body`, by HMAC-SHA-256 or Ed25519. */
export function checkStandardWebhooks(
  delivery: Delivery,
  secrets: readonly Uint8Array[],
  primitives: WebhookPrimitives,
): SignatureCheck {
  const id = singleHeader(delivery, 'webhook-id');
  const timestamp = singleHeader(delivery, 'webhook-timestamp');
  const header = singleHeader(delivery, 'webhook-signature');
  if (id === undefined || timestamp === undefined || header === undefined) return NO_MATCH;
  // A full stop in the id would let its end be read as a timestamp.
  if (id === '' || id.includes('.')) return NO_MATCH;
  const content = [encodeUtf8(id), FULL_STOP, encodeUtf8(timestamp), FULL_STOP, delivery.body];
  const message = concatBytes(...content);
  // One HMAC for each secret: with eight signatures of a large body, one for each pair would hold the thread for long.
  const keys = secrets.map((secret) => {
    const key = standardWebhooksKey(secret);
    return { key, digest: key?.version === 'v1' ? primitives.hmac('sha256', key.bytes, [message]) : undefined };
  });
  const matches = tryPairs(keys, versionedSignatures(header), ({ key, digest }, { version, bytes }) => {
    if (key?.version !== version) return false;
    if (digest !== undefined) return same(digest, bytes, primitives);
    return bytes.length === 64 && primitives.ed25519Verify(key.bytes, bytes, message);
  });
  return { matches, id, timestamp };
}
