import { randomBytes } from 'node:crypto';
import { verifyDelivery, type Verdict } from '../../core/ingestion/verification/verify-delivery.ts';
import type { RouteRequest } from '../http/route.ts';
import { mayCallFrom } from './client-cidrs.ts';
import type { SignalSource } from './source.ts';
import { webhookPrimitives } from './webhook-primitives.ts';

type SenderVerdict =
  | { readonly kind: 'verified'; readonly signedId: string | undefined; readonly isOldSecret: boolean }
  | { readonly kind: 'rejected' }
  /** A secret of the source can't be read: nobody can be verified. */
  | { readonly kind: 'unreadable' };

const NOBODY = randomBytes(32);

/** The work of verifying a body, for a path without a source. */
export function verifyNobody(body: Uint8Array): void {
  const digest = webhookPrimitives.hmac('sha256', NOBODY, [body]);
  webhookPrimitives.timingSafeEqual(digest, NOBODY);
}

const judged = (verdict: Verdict, mayCall: boolean): SenderVerdict =>
  verdict.kind === 'verified' && mayCall
    ? { kind: 'verified', signedId: verdict.id, isOldSecret: verdict.secret > 0 }
    : { kind: 'rejected' };

/**
 * Verifies who sent a delivery: by the scheme of its source, over the bytes as they came, and by its address.
 * @param pathToken last segment of `/ingest/{source_id}/{token}`
 * @param now ms since the epoch
 */
export function verifySender(
  source: SignalSource,
  request: Pick<RouteRequest, 'headerPairs' | 'address'>,
  { body, pathToken, now }: { readonly body: Uint8Array; readonly pathToken: string | undefined; readonly now: number },
): SenderVerdict {
  const { secrets, scheme, toleranceMs } = source;
  if (secrets.kind === 'unreadable') return { kind: 'unreadable' };
  const verification = { scheme, secrets: secrets.values, toleranceSeconds: toleranceMs / 1000 };
  const delivery = { headers: request.headerPairs, body, pathToken };
  const verdict = verifyDelivery(verification, delivery, now, webhookPrimitives);
  return judged(verdict, mayCallFrom(source, request.address));
}
