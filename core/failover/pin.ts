import type { Pin } from '../../crds/orb.ts';
import { jcs } from '../json/jcs.ts';
import { digestOfText } from '../manifest/digest.ts';
import type { FailoverPin } from './types.ts';

/**
 * Converts a pin to input of the rules. A pin without an `id` gets its digest as id, so the same pin applied again has
 * the same id.
 * @param pin a pin by its schema
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
