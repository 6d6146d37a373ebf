import type { Evaluation } from '../reputation/evaluation.ts';
import type { Tier } from '../reputation/criteria.ts';
import type { TierStatus } from '../reputation/held-tier.ts';
import type { OrbStatus } from './listed-orb.ts';
import { isTakenOff } from './status-transition.ts';

/** The newest certificate of a version. */
export interface IssuedCertificate {
  readonly tier: Tier;
  readonly tierStatus: TierStatus;
  /** 0–100 */
  readonly score: number;
  /** ms since epoch. */
  readonly issuedAt: number;
  readonly revoked: boolean;
}

/** What an evaluation does to the certificate. `wait`: it is to be issued, but not in this second. */
export type CertificateStep = 'none' | 'issue' | 'revoke' | 'wait';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const secondOf = (ms: number): number => Math.floor(ms / 1000);

const mayHaveOne = (status: OrbStatus, tier: Tier): boolean => !isTakenOff(status) && tier !== 'uncertified';

type Judged = Pick<Evaluation, 'held' | 'score'>;

const saysTheSame = ({ tier, tierStatus, score: shown }: IssuedCertificate, { held, score }: Judged): boolean =>
  tier === held.tier && tierStatus === held.status && shown === score.score;

/**
 * A certificate is issued from bronze up, every day and at every change of what it says (trust.md §6.1). Its `id` ends with
 * the second of its issue, so a version gets one a second at most.
 */
export function certificateStep(
  status: OrbStatus,
  judged: Judged,
  newest: IssuedCertificate | undefined,
  now: number,
): CertificateStep {
  const inForce = newest !== undefined && !newest.revoked;
  if (!mayHaveOne(status, judged.held.tier)) return inForce ? 'revoke' : 'none';
  if (newest === undefined) return 'issue';
  if (inForce && saysTheSame(newest, judged) && dayOf(newest.issuedAt) === dayOf(now)) return 'none';
  return secondOf(newest.issuedAt) === secondOf(now) ? 'wait' : 'issue';
}
