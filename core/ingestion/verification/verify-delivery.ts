import {
  checkEcdsa,
  checkHmac,
  checkStandardWebhooks,
  standardWebhooksKey,
  type SignatureCheck,
} from './check-signatures.ts';
import { checkToken } from './check-tokens.ts';
import { secretBytes, type Delivery } from './delivery.ts';
import type { WebhookPrimitives } from './primitives.ts';
import type { VerificationScheme } from './scheme.ts';

/** How a source verifies. */
export interface Verification {
  readonly scheme: VerificationScheme;
  /** Values of the Secrets, in the order of `secretRefs`; any may match, so two are enough to rotate. */
  readonly secrets: readonly Uint8Array[];
  /** How far a signed timestamp may be from the clock, in both directions; 30–900 s. */
  readonly toleranceSeconds: number;
}

export type Verdict =
  | {
      readonly kind: 'verified';
      /** Position of the first secret that matches; above 0 an old secret is still in use. */
      readonly secret: number;
      /** Only a signed id; it may name the delivery. */
      readonly id: string | undefined;
    }
  /** For metrics alone: the sender gets one text for both. */
  | { readonly kind: 'rejected'; readonly reason: 'signature' | 'timestamp' };

const REJECTED: Verdict = { kind: 'rejected', reason: 'signature' };
const SECONDS = /^[0-9]{1,12}$/;

function check(
  scheme: VerificationScheme,
  delivery: Delivery,
  secrets: readonly Uint8Array[],
  primitives: WebhookPrimitives,
): SignatureCheck {
  switch (scheme.kind) {
    case 'hmac':
      return checkHmac(scheme, delivery, secrets, primitives);
    case 'ecdsa':
      return checkEcdsa(scheme, delivery, secrets, primitives);
    case 'standardWebhooks':
      return checkStandardWebhooks(delivery, secrets, primitives);
    case 'bearer':
    case 'basic':
    case 'header':
    case 'md5Token':
    case 'urlToken':
      return { matches: checkToken(scheme, delivery, secrets, primitives), id: undefined, timestamp: undefined };
    default:
      return scheme satisfies never;
  }
}

/** Whether a signed timestamp, in seconds, is within the tolerance; a scheme without one has nothing to check. */
function isInTime(timestamp: string | undefined, toleranceSeconds: number, now: number): boolean {
  if (timestamp === undefined) return true;
  return SECONDS.test(timestamp) && Math.abs(Number(timestamp) - Math.floor(now / 1000)) <= toleranceSeconds;
}

/**
 * Verifies a delivery over the bytes as they came (ingestion.md §2). Never throws on what a sender sends.
 * Every pair of secret and signature is tried. An empty secret matches nothing.
 * @param now milliseconds since the epoch
 */
export function verifyDelivery(
  { scheme, secrets, toleranceSeconds }: Verification,
  delivery: Delivery,
  now: number,
  primitives: WebhookPrimitives,
): Verdict {
  // A place is kept for an empty secret, so that positions are those of `secretRefs`.
  const usable = secrets.map((secret) => secretBytes(secret));
  const keys = usable.filter((secret) => secret !== undefined);
  const { matches, id, timestamp } = check(scheme, delivery, keys, primitives);
  const matched = keys[matches.indexOf(true)];
  if (matched === undefined) return REJECTED;
  if (!isInTime(timestamp, toleranceSeconds, now)) return { kind: 'rejected', reason: 'timestamp' };
  return { kind: 'verified', secret: usable.indexOf(matched), id };
}

/** Why a secret can never match, so that its source is not ready; undefined when it can. */
export function secretProblem({ kind }: VerificationScheme, stored: Uint8Array): 'empty' | 'malformed' | undefined {
  const secret = secretBytes(stored);
  if (secret === undefined) return 'empty';
  return kind === 'standardWebhooks' && standardWebhooksKey(secret) === undefined ? 'malformed' : undefined;
}
