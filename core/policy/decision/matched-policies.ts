import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import { member, objectAt } from '../../json/members.ts';
import { rootOf, type Phase } from '../facts/fact-schema.ts';
import { ORB_FACTS } from '../facts/orb-facts.ts';
import type { Facts, RuleResult } from '../language/port.ts';
import type { KeptResults, MatchedPolicy } from './kept-results.ts';
import { isInRollout, type PolicySet, type SetMember } from './policy-set.ts';

/** Names below each root that change with the run. */
const OF_RUN = Map.groupBy(
  [...ORB_FACTS.facts.values()].filter(({ changesWith }) => changesWith === 'run'),
  ({ path }) => rootOf(path),
);
const isOfRun = (root: string, name: string): boolean =>
  OF_RUN.get(root)?.some(({ path }) => path === `${root}.${name}`) === true;

const texts = new WeakMap<JsonObject, string>();

/** Text of the facts of an Orb. They outlive a run, so the text is made once. */
function textOnce(facts: JsonObject): string {
  const kept = texts.get(facts);
  if (kept !== undefined) return kept;
  const text = JSON.stringify(facts);
  texts.set(facts, text);
  return text;
}

const stableText = (root: string, facts: JsonObject): string =>
  JSON.stringify(Object.entries(facts).filter(([name]) => !isOfRun(root, name)));

/** Equal texts: equal facts of Orb, Orbiset and caller, except those that change with the run. */
function stableKey(set: PolicySet, facts: Facts, phase: Phase): string {
  const { orb } = facts;
  const parts = [
    isJsonObject(orb) ? textOnce(orb) : '',
    stableText('caller', objectAt(facts, 'caller')),
    stableText('orbiset', objectAt(facts, 'orbiset')),
  ];
  return `${set.digest}\n${phase}\n${parts.join('\n')}`;
}

const textAt = (facts: Facts, root: string, name: string): string => {
  const value = member(objectAt(facts, root), name);
  return typeof value === 'string' ? value : '';
};

function matched(policy: SetMember, facts: Facts): MatchedPolicy {
  const { rolloutPercent } = policy.definition;
  const isEnforced =
    policy.mode === 'Enforce' &&
    isInRollout(policy.id, rolloutPercent, textAt(facts, 'caller', 'id'), textAt(facts, 'orb', 'orb_id'));
  return { member: policy, isEnforced, stable: policy.compiled.evaluate(facts, policy.stable) };
}

function findMatched(set: PolicySet, facts: Facts, phase: Phase): readonly MatchedPolicy[] {
  return set.members
    .filter((policy) => policy.definition.phases.includes(phase) && policy.isMatch(facts))
    .map((policy) => matched(policy, facts));
}

function matchedOnce(set: PolicySet, facts: Facts, phase: Phase, kept: KeptResults): readonly MatchedPolicy[] {
  const key = stableKey(set, facts, phase);
  const found = kept.get(key, set);
  if (found !== undefined) return found;
  const made = findMatched(set, facts, phase);
  kept.set(key, set, made);
  return made;
}

/** A policy that means the run, with the results of all its rules, in their order. */
export interface EvaluatedPolicy {
  readonly member: SetMember;
  readonly isEnforced: boolean;
  readonly results: readonly RuleResult[];
}

/** Puts kept and new results into the order of the rules. */
function evaluated({ member: policy, isEnforced, stable }: MatchedPolicy, facts: Facts): EvaluatedPolicy {
  const fresh = policy.compiled.evaluate(facts, policy.unstable);
  const results: RuleResult[] = [];
  policy.stable.forEach((position, index) => {
    const result = stable[index];
    if (result !== undefined) results[position] = result;
  });
  policy.unstable.forEach((position, index) => {
    const result = fresh[index];
    if (result !== undefined) results[position] = result;
  });
  return { member: policy, isEnforced, results };
}

/** Evaluates every rule of every policy that means the run. @param kept undefined: everything is evaluated */
export function evaluatePolicies(
  set: PolicySet,
  facts: Facts,
  phase: Phase,
  kept: KeptResults | undefined,
): readonly EvaluatedPolicy[] {
  const policies = kept === undefined ? findMatched(set, facts, phase) : matchedOnce(set, facts, phase, kept);
  return policies.map((policy) => evaluated(policy, facts));
}
