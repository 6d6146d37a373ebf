import { digestOf, type Digest, type Sha256 } from '../../json/digest.ts';
import { encodeUtf8 } from '../../json/bytes.ts';
import { jcs } from '../../json/jcs.ts';
import type { EventDraft } from '../mapping/signal.ts';

/**
 * Key of a signal: equal keys are repeats of one signal. Values, messages and addresses change from one repeat to the
 * next, so they stay out. A vendor that gives neither start nor end is told apart by its time of occurrence: else its next
 * problem would be a repeat of the last.
 * @param source `namespace/name`
 */
export const semanticKey = (
  source: string,
  { fingerprint, status, startsAt, endsAt, occurredAt }: EventDraft,
  sha256: Sha256,
): Digest =>
  digestOf(
    encodeUtf8(
      jcs([source, fingerprint.toWellFormed(), status, startsAt ?? (endsAt === null ? occurredAt : null), endsAt]),
    ),
    sha256,
  );
