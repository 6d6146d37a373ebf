import { member, objectAt } from '../../json/members.ts';
import type { Phase } from '../facts/fact-schema.ts';
import type { LastingFacts } from '../facts/pre-flight-facts.ts';
import type { Facts, RuleResult } from '../language/port.ts';
import type { KeptResults, MatchedPolicy } from './kept-results.ts';
import { isInRollout, type PolicySet, type SetMember } from './policy-set.ts';

const textAt = (facts: Facts, root: string, name: string): string => {
  const value = member(objectAt(facts, root), name);
  return typeof value === 'string' ? value : '';
};

/** Whether results say nothing: no rule is true or fails. A policy whose default denies says something anyhow. */
const areSilent = ({ definition }: SetMember, results: readonly RuleResult[]): boolean =>
  definition.spec.defaultEffect !== 'deny' && results.every(({ value }) => value === false);

function matched(policy: SetMember, facts: Facts): MatchedPolicy {
  const { rolloutPercent } = policy.definition;
  const isEnforced =
    policy.mode === 'Enforce' &&
    isInRollout(policy.id, rolloutPercent, textAt(facts, 'caller', 'id'), textAt(facts, 'orb', 'orb_id'));
  const stable = policy.compiled.evaluate(facts, policy.stable);
  return { member: policy, isEnforced, stable, isQuiet: areSilent(policy, stable) };
}

/** Those that say something, or may do so about a single run. */
function findMatched(set: PolicySet, facts: Facts, phase: Phase): readonly MatchedPolicy[] {
  return set.members
    .filter((policy) => policy.definition.phases.includes(phase) && policy.isMatch(facts))
    .map((policy) => matched(policy, facts))
    .filter(({ member: policy, isQuiet }) => policy.unstable.length > 0 || !isQuiet);
}

/** Results of earlier runs, and how to find them. */
export interface KeptFor {
  /** Undefined: everything is evaluated. */
  readonly kept: KeptResults | undefined;
  /** The objects that the facts were made of; undefined: they are of no other run. */
  readonly lasting?: LastingFacts;
}

function matchedOnce(
  { set, facts, phase }: { readonly set: PolicySet; readonly facts: Facts; readonly phase: Phase },
  kept: KeptResults,
  lasting: LastingFacts | undefined,
): readonly MatchedPolicy[] {
  const near = lasting && kept.near(set, phase, lasting);
  if (near !== undefined) return near;
  const found = kept.get(set, facts, phase);
  const matching = found ?? findMatched(set, facts, phase);
  if (found === undefined) kept.set(set, facts, phase, matching);
  if (lasting !== undefined) kept.setNear(set, phase, lasting, matching);
  return matching;
}

/** A policy that means the run, with the results of all its rules, in their order. */
export interface EvaluatedPolicy {
  readonly member: SetMember;
  readonly isEnforced: boolean;
  readonly results: readonly RuleResult[];
}

/** Kept and new results in the order of the rules. */
function resultsOf({ member: policy, stable }: MatchedPolicy, facts: Facts): readonly RuleResult[] {
  if (policy.unstable.length === 0) return stable;
  const fresh = policy.compiled.evaluate(facts, policy.unstable);
  if (stable.length === 0) return fresh;
  const results: RuleResult[] = [];
  policy.stable.forEach((position, index) => {
    const result = stable[index];
    if (result !== undefined) results[position] = result;
  });
  policy.unstable.forEach((position, index) => {
    const result = fresh[index];
    if (result !== undefined) results[position] = result;
  });
  return results;
}

/**
 * Evaluates every rule of every policy that means the run.
 * @returns those that say something: the others change nothing about a decision
 */
export function evaluatePolicies(
  set: PolicySet,
  facts: Facts,
  phase: Phase,
  { kept, lasting }: KeptFor,
): readonly EvaluatedPolicy[] {
  const policies =
    kept === undefined ? findMatched(set, facts, phase) : matchedOnce({ set, facts, phase }, kept, lasting);
  const evaluated: EvaluatedPolicy[] = [];
  for (const policy of policies) {
    if (policy.isQuiet && policy.member.compiled.areFalse(facts, policy.member.unstable)) continue;
    const results = resultsOf(policy, facts);
    if (!areSilent(policy.member, results))
      evaluated.push({ member: policy.member, isEnforced: policy.isEnforced, results });
  }
  return evaluated;
}
