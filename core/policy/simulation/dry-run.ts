import { decide, withApprovals, type DecideOptions } from '../decision/decide.ts';
import type { DecidedRule, Decision } from '../decision/decision.ts';
import type { PolicySet } from '../decision/policy-set.ts';
import type { Phase } from '../facts/fact-schema.ts';
import type { Facts, Trace } from '../language/port.ts';
import type { Steps } from '../../steps/steps.ts';
import { MAX_TRACE_PARTS, partsIn } from './fixed-policy.ts';
import type { CompletedFacts, FactOrigin } from './test-facts.ts';

/** A rule that matched or failed. */
interface TriedRule extends DecidedRule {
  readonly trace: Trace | undefined;
}

/** What another set of policies would change for one request. */
interface Change {
  readonly kind: 'new_deny' | 'new_allow' | 'obligations_changed';
  /** `namespace/name/rule`, or the code of a denial without a rule; empty when no denial says it. */
  readonly rule: string;
}

export interface DryRun {
  readonly decision: Decision;
  readonly rules: readonly TriedRule[];
  /** The decision of the policies in force. */
  readonly current: Decision;
  readonly changes: readonly Change[];
  /** Facts that the policies read, with their origin. */
  readonly factsUsed: ReadonlyMap<string, FactOrigin>;
  /** Facts that the policies read and that are absent, so that rules that read them fail unless they ask `has()`. */
  readonly missingFacts: readonly string[];
}

export interface DryRunInput {
  /** The policies to try, and those in force. */
  readonly tried: PolicySet;
  readonly current: PolicySet;
  readonly facts: CompletedFacts;
  readonly phase: Phase;
  readonly options: DecideOptions;
  /** Whether rules are shown with the values of their parts. */
  readonly isTraced: boolean;
}

function traceOf(set: PolicySet, facts: Facts, { policy, rule }: DecidedRule): Trace | undefined {
  const compiled = set.members.find(({ id }) => id === policy)?.compiled;
  return compiled?.trace(
    facts,
    compiled.rules.findIndex(({ name }) => name === rule),
  );
}

const namesOf = ({ denials }: Decision): readonly string[] =>
  denials.map(({ policy, rule, code }) => (policy === '' || rule === '' ? code : `${policy}/${rule}`));

function changesOf(before: Decision, after: Decision): readonly Change[] {
  if (before.decision !== after.decision) {
    const kind = after.decision === 'deny' ? 'new_deny' : 'new_allow';
    return namesOf(after.decision === 'deny' ? after : before).map((rule) => ({ kind, rule }));
  }
  const isSame = JSON.stringify(before.obligations) === JSON.stringify(after.obligations);
  return isSame ? [] : [{ kind: 'obligations_changed', rule: '' }];
}

/** Facts that policies which mean the run read in a phase. */
function factsRead({ members }: PolicySet, facts: Facts, phase: Phase): readonly string[] {
  const meant = members.filter(({ definition, isMatch }) => definition.phases.includes(phase) && isMatch(facts));
  return [...new Set(meant.flatMap(({ compiled }) => compiled.readsFacts))].toSorted();
}

function* tracesOf({ tried, facts, isTraced }: DryRunInput, rules: readonly DecidedRule[]): Steps<DryRun['rules']> {
  const traced: TriedRule[] = [];
  let left = isTraced ? MAX_TRACE_PARTS : 0;
  for (const rule of rules) {
    if (left > 0) yield;
    const trace = left > 0 ? traceOf(tried, facts.facts, rule) : undefined;
    left -= trace === undefined ? 0 : partsIn(trace);
    traced.push({ ...rule, trace });
  }
  return traced;
}

/**
 * Decides about one request without running it. Pure; never throws. Approvals count as not given. A piece is a decision,
 * or the trace of a rule.
 */
export function* dryRunSteps(input: DryRunInput): Steps<DryRun> {
  const { tried, current, facts: completed, phase, options } = input;
  const { facts, origins } = completed;
  const decideWith = (set: PolicySet): Decision => withApprovals(decide(set, facts, phase, options), []);
  const decision = decideWith(tried);
  yield;
  const before = decideWith(current);
  const read = factsRead(tried, facts, phase);
  return {
    decision,
    rules: yield* tracesOf(input, decision.rules),
    current: before,
    changes: changesOf(before, decision),
    factsUsed: new Map(
      read.flatMap((path): readonly (readonly [string, FactOrigin])[] => {
        const origin = origins.get(path);
        return origin === undefined ? [] : [[path, origin]];
      }),
    ),
    missingFacts: read.filter((path) => !origins.has(path)),
  };
}
