import { EARNED_TIERS, type Criterion, type EarnedTier, type TierJudgement } from './criteria.ts';
import { rankOf, type HeldTier } from './held-tier.ts';

/** The tier to reach next, and what it still lacks. */
export type NextTier = {
  readonly tier: EarnedTier;
  /** Empty when only time is missing: 72 hours from `held_since` on. */
  readonly missing: readonly Pick<Criterion, 'id' | 'required' | 'actual'>[];
  /** Since when all its criteria have held; null while one is missing. */
  readonly held_since: string | null;
};

const isoOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

/**
 * The lowest tier that the Orb does not hold, or that it is about to lose: `missing` says why.
 * @returns null: it holds platinum and nothing is missing
 */
export function nextTierOf(held: HeldTier, judgement: TierJudgement): NextTier | null {
  const above = EARNED_TIERS[rankOf(held.tier)];
  const missing = judgement.missing.map(({ id, required, actual }) => ({ id, required, actual }));
  // Its criteria hold: it waits for its promotion.
  if (above !== undefined && rankOf(judgement.tier) >= rankOf(above)) {
    return { tier: above, missing: [], held_since: isoOf(held.reachedSince[above]) };
  }
  return judgement.nextTier === null ? null : { tier: judgement.nextTier, missing, held_since: null };
}
