import { isDigest, type Digest, type Sha256Hex } from '../../json/digest.ts';
import type { EventDraft } from '../mapping/signal.ts';

/**
 * Key of a signal: equal keys are repeats of one signal. Values, messages and addresses change from one repeat to the
 * next, so they stay out. A vendor that gives neither start nor end is told apart by its time of occurrence: else its next
 * problem would be a repeat of the last.
 * @param source `namespace/name`
 */
export function semanticKey(
  source: string,
  { fingerprint, status, startsAt, endsAt, occurredAt }: EventDraft,
  sha256Hex: Sha256Hex,
): Digest {
  const at = startsAt ?? (endsAt === null ? occurredAt : null);
  // A list of texts, whole numbers and null is canonical as it is written (RFC 8785).
  const key = `sha256:${sha256Hex(JSON.stringify([source, fingerprint.toWellFormed(), status, at, endsAt]))}`;
  if (!isDigest(key)) throw new TypeError('SHA-256 is 64 hexadecimal digits');
  return key;
}
