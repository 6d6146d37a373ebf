import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { TIERS, TIER_STATUSES } from '../../core/log-entry/entry-members.ts';
import { NOT_EVALUATED, type Standing } from '../../core/publication/listed-orb.ts';
import type { Tier } from '../../core/reputation/criteria.ts';
import type { Confidence } from '../../core/reputation/formula.ts';
import { NEVER_HELD, type HeldTier, type TierStatus } from '../../core/reputation/held-tier.ts';

const CONFIDENCES: readonly Confidence[] = ['provisional', 'low', 'medium', 'high'];

const oneOf = <T extends string>(words: readonly T[], value: unknown, otherwise: T): T =>
  words.find((word) => word === value) ?? otherwise;

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const timeOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const timeOfText = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) || 0 : 0);

function objectOf(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  return isJsonObject(value) ? value : {};
}

/** What the lists show of a stored profile, and when it was computed (ms since epoch). */
export function readStanding(profile: string): { readonly standing: Standing; readonly evaluatedAt: number } {
  const stored = objectOf(profile);
  return {
    standing: {
      tier: oneOf<Tier>(TIERS, stored['certification_tier'], NOT_EVALUATED.tier),
      tierStatus: oneOf<TierStatus>(TIER_STATUSES, stored['tier_status'], NOT_EVALUATED.tierStatus),
      score: numberOf(stored['reputation_score']),
      scoreBp: numberOf(stored['score_bp']),
      confidence: oneOf(CONFIDENCES, stored['confidence'], NOT_EVALUATED.confidence),
    },
    evaluatedAt: timeOfText(stored['computed_at']),
  };
}

function reachedOf(value: unknown): HeldTier['reachedSince'] {
  if (!isJsonObject(value)) return {};
  const entries = TIERS.map((tier) => [tier, timeOf(value[tier])] as const).filter(([, at]) => at !== null);
  return Object.fromEntries(entries);
}

/** The held tier as an earlier evaluation stored it. */
export function readHeldTier(json: string): HeldTier {
  const held = objectOf(json);
  return {
    tier: oneOf<Tier>(TIERS, held['tier'], NEVER_HELD.tier),
    status: oneOf<TierStatus>(TIER_STATUSES, held['status'], NEVER_HELD.status),
    since: timeOf(held['since']),
    wasCertified: held['wasCertified'] === true,
    reachedSince: reachedOf(held['reachedSince']),
    atRiskSince: timeOf(held['atRiskSince']),
  };
}
