import type { ORB_STATUSES } from '../log-entry/entry-members.ts';
import type { Tier } from '../reputation/criteria.ts';
import type { Confidence } from '../reputation/formula.ts';
import type { TierStatus } from '../reputation/held-tier.ts';

/** State of a published version. */
export type OrbStatus = (typeof ORB_STATUSES)[number];

/** What its newest evaluation says about a version. */
export interface Standing {
  readonly tier: Tier;
  readonly tierStatus: TierStatus;
  /** 0–100. */
  readonly score: number;
  readonly scoreBp: number;
  readonly confidence: Confidence;
}

/** A version that was never evaluated. */
export const NOT_EVALUATED: Standing = {
  tier: 'uncertified',
  tierStatus: 'stable',
  score: 0,
  scoreBp: 0,
  confidence: 'provisional',
};

/** Who published a version. */
export interface Publisher {
  readonly org: string;
  readonly verified: boolean;
  readonly proof: string | null;
  /** ms since epoch; null: nobody owns the organisation. */
  readonly since: number | null;
}

/** A published version, with what the lists show of it. */
export interface ListedOrb {
  readonly orbId: string;
  readonly namespace: string;
  readonly manifestDigest: string;
  /** Index of its `publish` entry. */
  readonly logIndex: number;
  readonly status: OrbStatus;
  /** The platform suspended the version, or its organisation with all its Orbs. */
  readonly isSuspended: boolean;
  /** `{org}.{name}`. */
  readonly name: string;
  readonly version: string;
  /** '' when the manifest has none. */
  readonly description: string;
  readonly provider: string;
  readonly capabilities: readonly string[];
  readonly publisher: Publisher;
  readonly standing: Standing;
  /** ms since epoch. */
  readonly publishedAt: number;
  /** ms since epoch: of the last change of status or evaluation. */
  readonly updatedAt: number;
}
