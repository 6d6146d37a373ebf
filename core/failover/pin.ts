import type { Pin } from '../../crds/orb.ts';
import type { Digest } from '../json/digest.ts';
import { jcs } from '../json/jcs.ts';
import { digestOfText } from '../manifest/digest.ts';
import type { FailoverPin } from './types.ts';

/** Digest of every member of a pin. @param pin a pin by its schema */
export function pinDigestOf(pin: Pin): Digest {
  const members = Object.entries<string>({ ...pin }).map(([name, text]) => [name, text.toWellFormed()] as const);
  return digestOfText(jcs(Object.fromEntries(members)));
}

/**
 * Converts a pin to input of the rules. A pin without an `id` gets its digest as id, so the same pin applied again has
 * the same id.
 * @param pin a pin by its schema
 */
export function failoverPinOf(pin: Pin): FailoverPin {
  const { provider, mode = 'soft', id, expires_at: end, actor, reason } = pin;
  return {
    provider,
    mode,
    id: id ?? pinDigestOf(pin),
    expiresAt: Date.parse(end),
    actor: actor ?? null,
    reason: reason ?? null,
  };
}
