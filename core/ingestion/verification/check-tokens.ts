import { encodeBase64 } from '../../json/base64.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../json/bytes.ts';
import { decodeForm } from '../mapping/form.ts';
import { singleHeader, type Delivery } from './delivery.ts';
import type { WebhookPrimitives } from './primitives.ts';
import type { VerificationScheme } from './scheme.ts';
import { decodeHex } from './signature-headers.ts';

/** Shortest token of a path: 22 characters of base62 are 130 bits. */
const URL_TOKEN = /^[0-9A-Za-z]{22,256}$/;

/** Whether a secret can be the token of a path. */
export const isUrlToken = (text: string): boolean => URL_TOKEN.test(text);

/** Schemes that show a shared secret, or prove to know it, and sign nothing. */
export type TokenScheme = Extract<
  VerificationScheme,
  { readonly kind: 'bearer' | 'basic' | 'header' | 'md5Token' | 'urlToken' }
>;

/** What the sender gave; undefined when it is missing. */
function given(scheme: TokenScheme, delivery: Delivery): Uint8Array | undefined {
  const text = givenText(scheme, delivery);
  if (text === undefined) return undefined;
  return scheme.kind === 'md5Token' ? decodeHex(text) : encodeUtf8(text);
}

function givenText(scheme: TokenScheme, delivery: Delivery): string | undefined {
  switch (scheme.kind) {
    case 'bearer':
    case 'basic':
      return singleHeader(delivery, 'authorization');
    case 'header':
      return singleHeader(delivery, scheme.header);
    case 'md5Token':
      return decodeForm(decodeUtf8(delivery.body) ?? '')?.['token'];
    case 'urlToken':
      return isUrlToken(delivery.pathToken ?? '') ? delivery.pathToken : undefined;
    default:
      return scheme satisfies never;
  }
}

/** What the sender of a secret must give. */
function expected({ kind }: TokenScheme, secret: Uint8Array, { md5 }: WebhookPrimitives): Uint8Array {
  switch (kind) {
    case 'bearer':
      return concatBytes(encodeUtf8('Bearer '), secret);
    case 'basic':
      return encodeUtf8(`Basic ${encodeBase64(secret)}`);
    case 'md5Token':
      return md5(secret);
    case 'header':
    case 'urlToken':
      return secret;
    default:
      return kind satisfies never;
  }
}

/**
 * Compares digests, so that the time tells neither a byte nor the length of a secret.
 * @returns one answer for each secret, in their order
 */
export function checkToken(
  scheme: TokenScheme,
  delivery: Delivery,
  secrets: readonly Uint8Array[],
  primitives: WebhookPrimitives,
): readonly boolean[] {
  const found = given(scheme, delivery);
  const digest = primitives.sha256(found ?? new Uint8Array());
  const matches = secrets.map((secret) =>
    primitives.timingSafeEqual(primitives.sha256(expected(scheme, secret, primitives)), digest),
  );
  return found === undefined ? matches.map(() => false) : matches;
}
