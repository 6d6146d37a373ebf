import { TIERS, type TIER_STATUSES } from '../log-entry/entry-members.ts';
import type { Tier } from './criteria.ts';

/** State of a held tier. */
export type TierStatus = (typeof TIER_STATUSES)[number];

/** The tier that an Orb holds, with the memory that promotion and demotion need (trust.md §5.4). */
export interface HeldTier {
  readonly tier: Tier;
  readonly status: TierStatus;
  /** ms since epoch: since when it holds this tier; null: it never had another one than `uncertified`. */
  readonly since: number | null;
  /** True when it ever held bronze or more. */
  readonly wasCertified: boolean;
  /** By tier above the held one: since when every evaluation computed that tier or a higher one, ms since epoch. */
  readonly reachedSince: Readonly<Partial<Record<Tier, number>>>;
  /** Since when every evaluation computed less than the held tier, ms since epoch; null: it does not. */
  readonly atRiskSince: number | null;
}

/** Result of one evaluation. */
export interface TierStep {
  /** Tier that the criteria give. */
  readonly computed: Tier;
  /** Some cap is active. */
  readonly capped: boolean;
  readonly suspended: boolean;
  /** ms since epoch */
  readonly at: number;
}

const HOUR_MS = 3_600_000;
const PROMOTION_MS = 72 * HOUR_MS;
const DEMOTION_MS = 168 * HOUR_MS;

/** An Orb that was never evaluated. */
export const NEVER_HELD: HeldTier = {
  tier: 'uncertified',
  status: 'stable',
  since: null,
  wasCertified: false,
  reachedSince: {},
  atRiskSince: null,
};

/** Place of a tier in the order of tiers, 0–4. */
export const rankOf = (tier: Tier): number => TIERS.indexOf(tier);

/** Since when the tiers above `held` have been computed at every evaluation. */
function reached(before: HeldTier, held: Tier, { computed, at }: TierStep): HeldTier['reachedSince'] {
  const tiers = TIERS.slice(rankOf(held) + 1, rankOf(computed) + 1);
  return Object.fromEntries(tiers.map((tier) => [tier, before.reachedSince[tier] ?? at]));
}

function withTier(before: HeldTier, tier: Tier, step: TierStep): HeldTier {
  return {
    tier,
    status: 'stable',
    since: tier === before.tier ? before.since : step.at,
    wasCertified: before.wasCertified || tier !== 'uncertified',
    reachedSince: reached(before, tier, step),
    atRiskSince: null,
  };
}

/** The highest tier that was computed at every evaluation for 72 hours. */
function promotion(before: HeldTier, step: TierStep): Tier {
  const since = reached(before, before.tier, step);
  return TIERS.findLast((tier) => step.at - (since[tier] ?? Infinity) >= PROMOTION_MS) ?? before.tier;
}

function atRisk(before: HeldTier, step: TierStep): HeldTier {
  const since = before.atRiskSince ?? step.at;
  if (step.at - since >= DEMOTION_MS) return withTier(before, step.computed, step);
  return { ...before, status: 'at_risk', reachedSince: {}, atRiskSince: since };
}

/** The held tier after one more evaluation (trust.md §5.4). Pure: the delays are measured between evaluations. */
export function stepHeldTier(before: HeldTier, step: TierStep): HeldTier {
  if (step.capped || step.suspended) {
    const fallen = withTier(before, 'uncertified', { ...step, computed: 'uncertified' });
    return { ...fallen, status: step.suspended ? 'suspended' : 'stable' };
  }
  if (rankOf(step.computed) < rankOf(before.tier)) return atRisk(before, step);
  const first = !before.wasCertified && rankOf(step.computed) >= rankOf('bronze');
  if (!first) return withTier(before, promotion(before, step), step);
  // Time adds nothing to the evidence of a first bronze. Higher tiers wait as always.
  return withTier({ ...before, tier: 'uncertified' }, 'bronze', step);
}
