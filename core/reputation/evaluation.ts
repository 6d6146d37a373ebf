import { deriveInput, type LineEvidence, type Subject } from './derive.ts';
import { judgeTiers, type TierJudgement } from './criteria.ts';
import { scoreReputation, type Score } from './formula.ts';
import { stepHeldTier, type HeldTier } from './held-tier.ts';
import type { ReputationInput } from './input.ts';

/** Everything that one evaluation of a version computes. */
export interface Evaluation {
  readonly input: ReputationInput;
  readonly score: Score;
  readonly judgement: TierJudgement;
  readonly held: HeldTier;
  /** The tier or its state is another one than before. */
  readonly changed: boolean;
}

/**
 * Evaluates a version: what its line's entries say, its score, and the tier that it holds from now on (trust.md §5).
 * @param now ms since epoch; `subject.asOf` is its UTC day
 */
export function evaluate(evidence: LineEvidence, subject: Subject, before: HeldTier, now: number): Evaluation {
  const input = deriveInput(evidence, subject);
  const score = scoreReputation(input);
  const judgement = judgeTiers(input, score);
  const held = stepHeldTier(before, {
    computed: judgement.tier,
    capped: score.caps.length > 0,
    suspended: input.suspended,
    at: now,
  });
  const changed = held.tier !== before.tier || held.status !== before.status;
  return { input, score, judgement, held, changed };
}
