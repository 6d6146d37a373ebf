import { judgeTiers } from './criteria.ts';
import { deriveInput, type LineEvidence } from './derive.ts';
import { scoreReputation } from './formula.ts';
import { criteriaValues, type CriterionValue } from './profile.ts';

/** What a profile says that follows from the log and a day alone. */
export interface ScoreFacts {
  /** null: the evidence has no `publish` entry of the version. */
  readonly manifestDigest: string | null;
  readonly scoreBp: number;
  readonly computedTier: string;
  readonly criteria: readonly CriterionValue[];
}

/**
 * Scores a version from the evidence of its line alone.
 * @param asOf UTC day, `YYYY-MM-DD`
 */
export function scoreFacts(evidence: LineEvidence, orbId: string, asOf: string): ScoreFacts {
  const published = evidence.events.find(({ entry }) => entry.kind === 'publish' && entry.orb_id === orbId)?.entry;
  const manifestDigest = published?.kind === 'publish' ? published.manifest_digest : null;
  const input = deriveInput(evidence, { orbId, manifestDigest: manifestDigest ?? '', asOf, logWitnessed: null });
  const score = scoreReputation(input);
  const { tier, criteria } = judgeTiers(input, score);
  return { manifestDigest, scoreBp: score.scoreBp, computedTier: tier, criteria: criteriaValues(criteria) };
}

/** Members of the profile that differ; a criterion is named by its id. Empty: both say the same. */
export function differingMembers(one: ScoreFacts, other: ScoreFacts): readonly string[] {
  const members = [
    ...(one.manifestDigest === other.manifestDigest ? [] : ['manifest_digest']),
    ...(one.scoreBp === other.scoreBp ? [] : ['score_bp']),
    ...(one.computedTier === other.computedTier ? [] : ['computed_tier']),
  ];
  const criteria = one.criteria.filter((criterion, place) => {
    const same = other.criteria[place];
    return same === undefined || same.met !== criterion.met || same.actual !== criterion.actual;
  });
  return [...members, ...criteria.map(({ id }) => `criteria.${id}`)];
}
