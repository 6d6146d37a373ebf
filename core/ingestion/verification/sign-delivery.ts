import { encodeBase64 } from '../../json/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../../json/bytes.ts';
import { standardWebhooksKey } from './check-signatures.ts';
import { isUrlToken } from './check-tokens.ts';
import { secretBytes } from './delivery.ts';
import type { WebhookPrimitives } from './primitives.ts';
import type { HmacScheme, VerificationScheme } from './scheme.ts';

/** What is signed, and with what. */
export interface Unsigned {
  readonly body: string;
  /** As it stands in the file or Secret: one newline at its end does not count. */
  readonly secret: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** New id of the delivery, without a full stop; schemes that sign none ignore it. */
  readonly id: string;
}

/** A delivery that its source accepts. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Last segment of the path; it is a secret. */
  readonly pathToken?: string;
}

export type SignResult =
  | { readonly ok: true; readonly delivery: SignedDelivery }
  /** What the secret or the scheme lacks, in words that do not show the secret. */
  | { readonly ok: false; readonly fault: string };

type Primitives = Pick<WebhookPrimitives, 'hmac' | 'md5'>;

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const signed = (headers: SignedDelivery['headers'], body: string): SignResult => ({
  ok: true,
  delivery: { headers, body },
});
const fault = (text: string): SignResult => ({ ok: false, fault: text });

function hmacHeaders(scheme: HmacScheme, given: Unsigned, { hmac }: Primitives): SignedDelivery['headers'] {
  const { algorithm, encoding, prefix, signedContent, signatureHeader, timestampHeader, idHeader, pairs } = scheme;
  const timestamp = String(Math.floor(given.now / 1000));
  const values: Readonly<Record<string, string>> = { '{body}': given.body, '{timestamp}': timestamp, '{id}': given.id };
  const content = signedContent.replaceAll(/\{(?:body|timestamp|id)\}/g, (name) => values[name] ?? '');
  const digest = hmac(algorithm, given.secret, [encodeUtf8(content)]);
  const signature = `${prefix}${encoding === 'hex' ? hexOf(digest) : encodeBase64(digest)}`;
  if (pairs !== undefined)
    return { [signatureHeader]: `${pairs.timestamp}=${timestamp},${pairs.signature}=${signature}` };
  return {
    [signatureHeader]: signature,
    ...(timestampHeader === undefined ? {} : { [timestampHeader]: timestamp }),
    ...(idHeader === undefined ? {} : { [idHeader]: given.id }),
  };
}

function signStandard({ body, secret, now, id }: Unsigned, { hmac }: Primitives): SignResult {
  const key = standardWebhooksKey(secret);
  if (key?.version !== 'v1') return fault('a secret of Standard Webhooks is whsec_ and base64 of 16 to 64 bytes');
  const timestamp = String(Math.floor(now / 1000));
  const digest = hmac('sha256', key.bytes, [encodeUtf8(`${id}.${timestamp}.${body}`)]);
  const signature = `v1,${encodeBase64(digest)}`;
  return signed({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }, body);
}

/** Characters that a header may hold. */
const VISIBLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Schemes that show the secret in a header. */
type ShownScheme = Extract<VerificationScheme, { readonly kind: 'bearer' | 'basic' | 'header' }>;

function shownSecret({ kind }: ShownScheme, secret: Uint8Array): string {
  if (kind === 'basic') return `Basic ${encodeBase64(secret)}`;
  const text = decodeUtf8(secret) ?? '';
  return kind === 'bearer' && text !== '' ? `Bearer ${text}` : text;
}

function signInHeader(scheme: ShownScheme, { secret, body }: Unsigned): SignResult {
  const value = shownSecret(scheme, secret);
  if (!VISIBLE.test(value)) return fault('the secret can not stand in a header');
  return signed({ [scheme.kind === 'header' ? scheme.header : 'authorization']: value }, body);
}

/** The field `Token` of a form, as StatusCake sends it. */
const TOKEN_FIELD = /(^|&)Token=[^&]*/;

function signForm({ body, secret }: Unsigned, { md5 }: Primitives): SignResult {
  const token = `Token=${hexOf(md5(secret))}`;
  const filled = TOKEN_FIELD.test(body) ? body.replace(TOKEN_FIELD, `$1${token}`) : `${token}&${body}`;
  return signed({}, filled);
}

function signInPath({ secret, body }: Unsigned): SignResult {
  const pathToken = decodeUtf8(secret) ?? '';
  if (!isUrlToken(pathToken)) return fault('a token of a path is 22 to 256 letters and digits');
  return { ok: true, delivery: { headers: {}, body, pathToken } };
}

/**
 * Makes the proof that a vendor would send with a body: the opposite of `verifyDelivery`. For samples and tests.
 * `ecdsa` can't be signed: its source has the public key alone.
 */
export function signDelivery(scheme: VerificationScheme, given: Unsigned, primitives: Primitives): SignResult {
  const secret = secretBytes(given.secret);
  if (secret === undefined) return fault('the secret is empty');
  const whole = { ...given, secret };
  switch (scheme.kind) {
    case 'hmac':
      return signed(hmacHeaders(scheme, whole, primitives), given.body);
    case 'standardWebhooks':
      return signStandard(whole, primitives);
    case 'bearer':
    case 'basic':
    case 'header':
      return signInHeader(scheme, whole);
    case 'md5Token':
      return signForm(whole, primitives);
    case 'urlToken':
      return signInPath(whole);
    case 'ecdsa':
      return fault('only the vendor has the key that signs');
    default:
      return scheme satisfies never;
  }
}
