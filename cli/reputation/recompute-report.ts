import { jcs } from '../../core/json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { member, objectAt } from '../../core/json/members.ts';
import { EARNED_TIERS } from '../../core/reputation/criteria.ts';
import { ALGORITHM } from '../../core/reputation/formula.ts';
import { criteriaValues, type CriterionValue } from '../../core/reputation/profile.ts';
import type { Recomputed, RepeatedChange } from '../../core/reputation/recompute.ts';
import { jsonText, printable } from '../io/output.ts';

/** What was recomputed, and over which tree. */
export interface Recomputation {
  readonly orbId: string;
  readonly origin: string;
  readonly size: number;
  readonly rootBase64: string;
  readonly asOf: string;
  readonly result: Recomputed;
  readonly changes: readonly RepeatedChange[];
}

const changeValue = ({ change: { index, entry }, scoreBp, computed, ok }: RepeatedChange): JsonObject => ({
  log_index: index,
  tree_size: entry.tree_size,
  as_of: entry.as_of,
  from: entry.from,
  to: entry.to,
  score_bp: entry.score_bp,
  recomputed_score_bp: scoreBp,
  recomputed_tier: computed,
  ok,
});

/** The result with the names of a profile, so that the two can be compared. */
export function recomputedValue({ orbId, origin, size, rootBase64, asOf, result, changes }: Recomputation): JsonObject {
  const { manifestDigest, score, judgement } = result;
  return {
    orb_id: orbId,
    manifest_digest: manifestDigest,
    reputation_score: score.score,
    score_bp: score.scoreBp,
    computed_tier: judgement.tier,
    algorithm: ALGORITHM,
    computed_over: { origin, tree_size: size, root_hash: rootBase64, as_of: asOf },
    caps: score.caps.map(({ id }) => id),
    criteria: criteriaValues(judgement.criteria),
    tier_changes: changes.map(changeValue),
  };
}

const COMPARED = [
  'orb_id',
  'manifest_digest',
  'algorithm',
  'computed_over',
  'reputation_score',
  'score_bp',
  'computed_tier',
  'caps',
  'criteria',
] as const;

const shown = (value: JsonValue | undefined): string => (value === undefined ? 'missing' : jsonText(value, 0));

/** Members in which a published profile differs from the recomputation, a line each. */
export const differences = (profile: JsonObject, recomputed: JsonObject): readonly string[] =>
  COMPARED.flatMap((name) => {
    const [published, own] = [member(profile, name), member(recomputed, name)];
    if (published !== undefined && own !== undefined && jcs(published) === jcs(own)) return [];
    return [name === 'criteria' ? 'criteria differ' : `${name} is ${shown(published)}, recomputed ${shown(own)}`];
  });

/** The tree and the day that a profile names. */
export function computedOver(profile: unknown): {
  readonly size: number | undefined;
  readonly asOf: string | undefined;
} {
  const over = isJsonObject(profile) ? objectAt(profile, 'computed_over') : {};
  const [size, asOf] = [member(over, 'tree_size'), member(over, 'as_of')];
  return {
    size: typeof size === 'number' ? size : undefined,
    asOf: typeof asOf === 'string' ? asOf : undefined,
  };
}

const row = (label: string, text: string): string => `${label.padEnd(14)}${text}\n`;

/** Met and all criteria of each tier, and each criterion that is not met. */
function criteriaLines(criteria: readonly CriterionValue[]): string {
  const counts = EARNED_TIERS.map((tier) => {
    const own = criteria.filter((criterion) => criterion.tier === tier);
    return `${tier} ${own.filter(({ met }) => met).length}/${own.length}`;
  });
  const missing = criteria.filter(({ met }) => !met);
  const lines = missing.map(({ id, tier, required, actual }) =>
    row('', `${tier} lacks ${id}: ${shown(actual)}, needs ${shown(required)}`),
  );
  return row('criteria', counts.join(', ')) + lines.join('');
}

function changeLines(changes: readonly RepeatedChange[]): string {
  const wrong = changes.filter(({ ok }) => !ok);
  const foreign = changes.filter(({ ok, scoreBp }) => ok && scoreBp === null).length;
  const others = foreign === 0 ? '' : `, ${foreign} by another algorithm not repeated`;
  const lines = wrong.map(({ change: { index, entry }, scoreBp, computed }) =>
    row(
      '',
      `entry ${index} DIFFERS: it says ${entry.score_bp} and ${entry.from} to ${entry.to}, recomputed ${shown(scoreBp)} and ${shown(computed)}`,
    ),
  );
  return (
    row('tier changes', `${changes.length - wrong.length} of ${changes.length} follow from the log${others}`) +
    lines.join('')
  );
}

/** The result for people. */
export function recomputedText(recomputation: Recomputation): string {
  const { orbId, origin, size, rootBase64, asOf, result, changes } = recomputation;
  const { score, judgement } = result;
  return [
    row('orb', `${printable(orbId)}  ${printable(result.manifestDigest)}`),
    row('log', `${origin}, ${size} entries, root ${rootBase64}`),
    row('as of', asOf),
    row('score', `${score.score} (score_bp ${score.scoreBp}), confidence ${score.confidence}`),
    row('tier', `${judgement.tier} by its criteria alone`),
    score.caps.length === 0 ? '' : row('caps', score.caps.map(({ id }) => id).join(', ')),
    criteriaLines(criteriaValues(judgement.criteria)),
    changeLines(changes),
  ].join('');
}
