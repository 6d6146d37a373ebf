import type { Pin } from '../../crds/orb.ts';
import { jcs } from '../json/jcs.ts';
import { digestOfText } from '../manifest/digest.ts';
import type { FailoverPin } from './types.ts';

/**
 * A pin as the rules take it. Without an `id` it is known by its digest, so the same pin applied again is the same.
 * @param pin as its schema has it
 */
export function failoverPinOf(pin: Pin): FailoverPin {
  const { provider, mode = 'soft', id, expires_at: end, actor, reason } = pin;
  const members = Object.entries<string>({ ...pin }).map(([name, text]) => [name, text.toWellFormed()] as const);
  return {
    provider,
    mode,
    id: id ?? digestOfText(jcs(Object.fromEntries(members))),
    expiresAt: Date.parse(end),
    actor: actor ?? null,
    reason: reason ?? null,
  };
}
