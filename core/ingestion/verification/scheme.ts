import type { HmacAlgorithm } from './primitives.ts';
import type { ListForm, PairNames } from './signature-headers.ts';

/** An HMAC in a header, as GitHub, Slack, Stripe, Grafana, PagerDuty, Sentry and Segment send it. */
export interface HmacScheme extends ListForm {
  readonly kind: 'hmac';
  readonly algorithm: HmacAlgorithm;
  readonly signatureHeader: string;
  /** Template of what is signed: `{body}`, `{timestamp}` and `{id}` are replaced, other text stands for itself. */
  readonly signedContent: string;
  /** Header of the timestamp; not read with `pairs`. */
  readonly timestampHeader?: string;
  /** Header of the id. */
  readonly idHeader?: string;
  /** Timestamp and signatures both stand in the signature header. */
  readonly pairs?: PairNames;
}

/** ECDSA over P-256 and SHA-256 of timestamp and body: SendGrid's event webhook. Secrets are public keys. */
export interface EcdsaScheme {
  readonly kind: 'ecdsa';
  readonly signatureHeader: string;
  readonly timestampHeader: string;
}

/** A fixed value in a header. */
interface HeaderScheme {
  readonly kind: 'header';
  readonly header: string;
}

/** How a source proves that a delivery is its own (ingestion.md §2). */
export type VerificationScheme =
  | HmacScheme
  | EcdsaScheme
  | HeaderScheme
  | { readonly kind: 'standardWebhooks' }
  /** `Authorization: Bearer SECRET`. */
  | { readonly kind: 'bearer' }
  /** The secret is `user:password`. */
  | { readonly kind: 'basic' }
  /** The secret is the text whose MD5 stands in the form field `Token`. */
  | { readonly kind: 'md5Token' }
  /** The secret is the last segment of the path. */
  | { readonly kind: 'urlToken' };

/** How much a delivery proves: its body, that its sender knows a secret, or that it knows an address. */
export type Trust = 'signed' | 'shared_secret' | 'low';

/** Trust that follows from the scheme alone. */
export function trustOf({ kind }: VerificationScheme): Trust {
  switch (kind) {
    case 'hmac':
    case 'ecdsa':
    case 'standardWebhooks':
      return 'signed';
    case 'bearer':
    case 'basic':
    case 'header':
    case 'md5Token':
      return 'shared_secret';
    case 'urlToken':
      return 'low';
    default:
      return kind satisfies never;
  }
}
