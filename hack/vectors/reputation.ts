import { jcs } from '../../core/json/jcs.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { TIERS } from '../../core/log-entry/entry-members.ts';
import { judgeTiers, type Tier } from '../../core/reputation/criteria.ts';
import { deriveInput } from '../../core/reputation/derive.ts';
import { foldEntry } from '../../core/reputation/fold.ts';
import { ALGORITHM, scoreReputation, wilsonLowerBound } from '../../core/reputation/formula.ts';
import { NEVER_HELD, stepHeldTier } from '../../core/reputation/held-tier.ts';
import type { ReputationInput, RunGroup } from '../../core/reputation/input.ts';
import { LineJournal } from '../../core/reputation/journal.ts';
import { asObject, asValue, has, listAt, numberAt, objectAt, textAt, valueAt } from './read.ts';
import { each, outcomeOf, type Suite } from './suite.ts';

const HOUR_MS = 3_600_000;
const TOLERANCE = 1e-6;

const flagAt = (object: JsonObject, name: string): boolean => has(object, name) && valueAt(object, name) === true;

const objectsAt = (object: JsonObject, name: string): readonly JsonObject[] =>
  has(object, name) ? listAt(object, name).map((item) => asObject(item, name)) : [];

const nullableAt = (object: JsonObject, name: string): JsonValue => (has(object, name) ? valueAt(object, name) : null);

function wordAt<Word extends string>(object: JsonObject, name: string, words: readonly Word[]): Word {
  const text = textAt(object, name);
  const word = words.find((known) => known === text);
  if (word === undefined) throw new Error(`${text} is not one of ${words.join(', ')}`);
  return word;
}

const groupOf = (item: JsonObject): RunGroup => ({
  caller: textAt(item, 'caller'),
  epoch: has(item, 'epoch') ? textAt(item, 'epoch') : '',
  age_days: numberAt(item, 'age_days'),
  version: wordAt(item, 'version', ['same', 'same_major', 'other'] as const),
  self: flagAt(item, 'self'),
  runs: numberAt(item, 'runs'),
  success: numberAt(item, 'success'),
  within_slo: numberAt(item, 'within_slo'),
});

const testsOf = (item: JsonObject): ReputationInput['tests'] => ({
  required: numberAt(item, 'required'),
  passed: numberAt(item, 'passed'),
  age_days: numberAt(item, 'age_days'),
  digest_match: flagAt(item, 'digest_match'),
  provenance: textAt(item, 'provenance'),
});

const countsOf = (item: JsonObject): ReputationInput['receipts'] => ({
  total: numberAt(item, 'total'),
  invalid: numberAt(item, 'invalid'),
  invalid_7d: numberAt(item, 'invalid_7d'),
});

function metaOf(input: JsonObject): ReputationInput['meta'] {
  const meta = has(input, 'meta') ? objectAt(input, 'meta') : {};
  const suspension = nullableAt(meta, 'namespace_suspension_age_days');
  const witnessed = nullableAt(meta, 'log_witnessed');
  return {
    namespace_verified: flagAt(meta, 'namespace_verified'),
    age_days: has(meta, 'age_days') ? numberAt(meta, 'age_days') : 0,
    namespace_suspension_age_days: typeof suspension === 'number' ? suspension : null,
    log_witnessed: typeof witnessed === 'boolean' ? witnessed : null,
  };
}

/** The input of a case. What a case leaves out is empty, null, zero or false. */
const inputOf = (input: JsonObject): ReputationInput => ({
  groups: objectsAt(input, 'groups').map(groupOf),
  tests: nullableAt(input, 'tests') === null ? null : testsOf(objectAt(input, 'tests')),
  violations: objectsAt(input, 'violations').map((item) => ({
    severity: wordAt(item, 'severity', ['low', 'medium', 'high', 'critical'] as const),
    age_days: numberAt(item, 'age_days'),
  })),
  incidents: objectsAt(input, 'incidents').map((item) => ({
    impact: wordAt(item, 'impact', ['minor', 'major', 'critical'] as const),
    age_days: numberAt(item, 'age_days'),
    open: flagAt(item, 'open'),
  })),
  receipts:
    nullableAt(input, 'receipts') === null
      ? { total: 0, invalid: 0, invalid_7d: 0 }
      : countsOf(objectAt(input, 'receipts')),
  suspended: flagAt(input, 'suspended'),
  meta: metaOf(input),
});

/** Every member that the algorithm computes, by the names of the vectors. */
function judged(input: ReputationInput): JsonObject {
  const score = scoreReputation(input);
  const tiers = judgeTiers(input, score);
  return {
    score: score.score,
    score_bp: score.scoreBp,
    tier: tiers.tier,
    confidence: score.confidence,
    n_eff: score.runs.n,
    s_eff: score.runs.s,
    l_eff: score.runs.l,
    callers: score.runs.callers,
    wilson_reliability: score.wilson.reliability,
    wilson_latency: score.wilson.latency,
    R: score.parts.reliability,
    L: score.parts.latency,
    T: score.parts.tests,
    P: score.factors.violations,
    I: score.factors.incidents,
    V: score.factors.receipts,
    caps: score.caps.map(({ id }) => id),
    next_tier: tiers.nextTier,
    missing: tiers.missing.map(({ id }) => id),
  };
}

/** These are compared exactly; every other number of a case is real and rounded to six decimals in the file. */
const EXACT: ReadonlySet<string> = new Set(['score', 'score_bp', 'callers']);

/** The rounded value of the file stands for a real number that is close to it. */
function rounded(name: string, got: JsonValue, expected: JsonValue | undefined): JsonValue {
  const isReal = typeof got === 'number' && typeof expected === 'number' && !EXACT.has(name);
  return isReal && Math.abs(got - expected) <= TOLERANCE ? expected : got;
}

function scored(item: JsonObject): JsonValue {
  const expected = objectAt(item, 'expected');
  const got = judged(inputOf(objectAt(item, 'input')));
  return Object.fromEntries(Object.entries(got).map(([name, value]) => [name, rounded(name, value, expected[name])]));
}

function tierSteps(item: JsonObject): JsonValue {
  let held = NEVER_HELD;
  return objectsAt(item, 'steps').map((step) => {
    held = stepHeldTier(held, {
      computed: wordAt<Tier>(step, 'computed', TIERS),
      capped: flagAt(step, 'capped'),
      suspended: flagAt(step, 'suspended'),
      at: numberAt(step, 'at_h') * HOUR_MS,
    });
    return { tier: held.tier, tier_status: held.status };
  });
}

function derived(item: JsonObject): JsonValue {
  const entries = listAt(item, 'entries').map((entry) => jcs(entry));
  const orbId = textAt(item, 'orb_id');
  const journal = new LineJournal(orbId, (index) => entries[index]);
  for (const [index, entry] of entries.entries()) foldEntry(journal.at(index), index, entry);
  const witnessed = nullableAt(item, 'log_witnessed');
  const input = deriveInput(journal.evidence(), {
    orbId,
    manifestDigest: textAt(item, 'manifest_digest'),
    asOf: textAt(item, 'as_of'),
    logWitnessed: typeof witnessed === 'boolean' ? witnessed : null,
  });
  return asValue(JSON.parse(JSON.stringify(input)));
}

/** Reputation: trust.md §5. */
export const reputation: Suite = {
  subject: 'reputation',
  data: [],
  parts: {
    algorithm: async (value) => [await outcomeOf('algorithm', value, () => ALGORITHM)],
    cases: each(scored),
    wilson: each((item) =>
      rounded('wilson', wilsonLowerBound(numberAt(item, 's'), numberAt(item, 'n')), valueAt(item, 'expected')),
    ),
    tier_sequences: each(tierSteps),
    derive_cases: each(derived),
  },
};
