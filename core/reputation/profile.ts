import type { EntryOf } from '../log-entry/entry.ts';
import { componentsOf, type Component } from './components.ts';
import type { Criterion, Tier, TierJudgement } from './criteria.ts';
import { daysBetween, type LineEvidence, type Subject } from './derive.ts';
import type { DayCounts } from './fold.ts';
import { ALGORITHM, type Confidence, type Score } from './formula.ts';
import type { HeldTier, TierStatus } from './held-tier.ts';
import type { ReputationInput } from './input.ts';
import { nextTierOf, type NextTier } from './next-tier.ts';
import { penaltyItems, type PenaltyItem } from './penalty-items.ts';
import { rounded } from './rounded.ts';

/** Runs that are shown and do not count, of the last 90 days. A run of the publisher itself is only in `self`. */
type ExcludedRuns = {
  readonly self: number;
  readonly caller_error: number;
  readonly platform_error: number;
  readonly policy_denied: number;
};

/** A factor of the score, and the entries that lower it. */
type Penalty = {
  readonly id: keyof Score['factors'];
  /** 0–1; 1 takes nothing away. */
  readonly factor: number;
  readonly items: readonly PenaltyItem[];
};

/** What `GET /reputation/{orb_id}` answers (trust.md §5.5). Real numbers have six decimals. */
export type Profile = {
  readonly orb_id: string;
  readonly manifest_digest: string;
  /** 0–100 */
  readonly reputation_score: number;
  /** 0–10000 */
  readonly score_bp: number;
  readonly certification_tier: Tier;
  readonly computed_tier: Tier;
  readonly tier_status: TierStatus;
  /** null: it never held another tier than `uncertified`. */
  readonly tier_since: string | null;
  readonly confidence: Confidence;
  readonly algorithm: string;
  readonly computed_at: string;
  readonly computed_over: {
    readonly origin: string;
    readonly tree_size: number;
    /** Standard base64 of 32 bytes. */
    readonly root_hash: string;
    /** UTC day, `YYYY-MM-DD`. */
    readonly as_of: string;
  };
  readonly evidence: {
    readonly n_eff: number;
    readonly s_eff: number;
    readonly l_eff: number;
    readonly callers: number;
    readonly excluded: ExcludedRuns;
  };
  readonly components: readonly Component[];
  readonly penalties: readonly Penalty[];
  /** Active caps, in the order of trust.md §5.3. */
  readonly caps: readonly string[];
  readonly criteria: readonly CriterionValue[];
  readonly next_tier: NextTier | null;
  readonly history: readonly HistoryItem[];
};

/** A criterion as JSON. */
export type CriterionValue = { readonly [Name in keyof Criterion]: Criterion[Name] };

/** A change of the tier or of its status. */
type HistoryItem = {
  readonly at: string;
  readonly score: number;
  readonly tier: Tier;
  readonly log_index: number;
};

/** A `tier_change` entry with its place in the log. */
export interface TierChange {
  readonly index: number;
  readonly entry: EntryOf<'tier_change'>;
}

/** One evaluation of a version. */
export interface Evaluated {
  readonly subject: Subject;
  readonly evidence: LineEvidence;
  readonly input: ReputationInput;
  readonly score: Score;
  readonly judgement: TierJudgement;
  /** After this evaluation. */
  readonly held: HeldTier;
  /** Newest first; the first 20 are shown. */
  readonly history: readonly TierChange[];
  /** ms since epoch */
  readonly at: number;
  /** The tree that the evidence is from. */
  readonly log: { readonly origin: string; readonly size: number; readonly rootBase64: string };
}

const EXCLUDED_DAYS = 90;
/** Changes of the tier that a profile shows (trust.md §5.5). */
export const PROFILE_HISTORY = 20;

const allOf = ({ success, failed, caller_error, platform_error, policy_denied }: DayCounts): number =>
  success + failed + caller_error + platform_error + policy_denied;

function excludedRuns({ days }: LineEvidence, asOf: string): ExcludedRuns {
  const recent = days.filter(({ day }) => daysBetween(day, asOf) <= EXCLUDED_DAYS);
  const others = recent.filter(({ self }) => !self);
  const sum = (name: keyof DayCounts): number => others.reduce((total, row) => total + row[name], 0);
  return {
    self: recent.filter(({ self }) => self).reduce((total, row) => total + allOf(row), 0),
    caller_error: sum('caller_error'),
    platform_error: sum('platform_error'),
    policy_denied: sum('policy_denied'),
  };
}

/** Criteria as profiles show them. */
export const criteriaValues = (criteria: readonly Criterion[]): readonly CriterionValue[] =>
  criteria.map((criterion) => ({
    ...criterion,
    actual: typeof criterion.actual === 'number' ? rounded(criterion.actual) : criterion.actual,
  }));

function evidenceOf({ evidence, score: { runs }, subject }: Evaluated): Profile['evidence'] {
  return {
    n_eff: rounded(runs.n),
    s_eff: rounded(runs.s),
    l_eff: rounded(runs.l),
    callers: runs.callers,
    excluded: excludedRuns(evidence, subject.asOf),
  };
}

function penaltiesOf({ evidence, score: { factors }, subject }: Evaluated): readonly Penalty[] {
  const items = penaltyItems(evidence, subject.asOf);
  return (['violations', 'incidents', 'receipts'] as const).map((id) => ({
    id,
    factor: rounded(factors[id]),
    items: items[id],
  }));
}

/** Changes of the tier as profiles show them, the newest first. */
export const historyOf = (changes: readonly TierChange[]): readonly HistoryItem[] =>
  changes.slice(0, PROFILE_HISTORY).map(({ index, entry }) => ({
    at: entry.at,
    score: Math.floor(entry.score_bp / 100),
    tier: entry.to,
    log_index: index,
  }));

/** The profile of a version (trust.md §5.5). Pure: the same evaluation gives the same profile. */
export function profileOf(evaluated: Evaluated): Profile {
  const { subject, input, score, judgement, held, history, at, log } = evaluated;
  const criteria = criteriaValues(judgement.criteria);
  return {
    orb_id: subject.orbId,
    manifest_digest: subject.manifestDigest,
    reputation_score: score.score,
    score_bp: score.scoreBp,
    certification_tier: held.tier,
    computed_tier: judgement.tier,
    tier_status: held.status,
    tier_since: held.since === null ? null : new Date(held.since).toISOString(),
    confidence: score.confidence,
    algorithm: ALGORITHM,
    computed_at: new Date(at).toISOString(),
    computed_over: { origin: log.origin, tree_size: log.size, root_hash: log.rootBase64, as_of: subject.asOf },
    evidence: evidenceOf(evaluated),
    components: componentsOf(score, input.tests),
    penalties: penaltiesOf(evaluated),
    caps: score.caps.map(({ id }) => id),
    criteria,
    next_tier: nextTierOf(held, {
      ...judgement,
      missing: criteria.filter((one) => !one.met && one.tier === judgement.nextTier),
    }),
    history: historyOf(history),
  };
}
