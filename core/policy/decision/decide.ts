import type { Phase } from '../facts/fact-schema.ts';
import type { Facts } from '../language/port.ts';
import type { OrbisetPolicies } from '../../manifest/policies.ts';
import { combine, severityOf } from './combine.ts';
import type { DecidedRule, Decision, Denial, Violation } from './decision.ts';
import { evaluatePolicies, type EvaluatedPolicy, type KeptFor } from './matched-policies.ts';
import type { MissingMember, PolicySet } from './policy-set.ts';
import { worstViolations } from './worst-violations.ts';

/** What a decision needs beside policies and facts. With kept results, and without, it is the same. */
export interface DecideOptions extends KeptFor {
  readonly orbiset: OrbisetPolicies;
  /** Namespace of the Orbiset: its `requireReady` means the policies of that namespace. */
  readonly namespace: string;
}

/** An Orbiset without `spec.policies`. */
export const NO_ORBISET_POLICIES: OrbisetPolicies = { defaultEffect: 'allow', requireReady: false };

const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

function priorityOf(set: PolicySet): (policy: string) => number {
  const priorities = new Map(set.members.map(({ id, definition }) => [id, definition.spec.priority]));
  return (policy) => priorities.get(policy) ?? 0;
}

function reported(denials: readonly Denial[], set: PolicySet): readonly Denial[] {
  if (denials.length < 2) return denials;
  const priority = priorityOf(set);
  return denials.toSorted(
    (one, other) =>
      priority(other.policy) - priority(one.policy) ||
      byText(`${one.policy}/${one.rule}`, `${other.policy}/${other.rule}`),
  );
}

function rulesOf({ member, isEnforced, results }: EvaluatedPolicy): readonly DecidedRule[] {
  return results.flatMap(({ rule, effect, value, message }) =>
    value === false
      ? []
      : [
          {
            policy: member.id,
            policyDigest: member.definition.digest,
            rule,
            effect,
            result: value === true ? 'true' : 'error',
            enforced: isEnforced,
            severity: severityOf(member, rule),
            message: effect === 'deny' ? (message ?? '') : '',
          },
        ],
  );
}

const isGiven = (part: object | undefined): boolean =>
  Object.values(part ?? {}).some((wanted: unknown) => Array.isArray(wanted) && wanted.length > 0);

/** A rule that reads nothing is about what its policy matches: callers and Orbisets are no fault of an Orb. */
const isAboutOrb = ({ member }: EvaluatedPolicy, rule: string): boolean => {
  const reads = member.compiled.rules.find(({ name }) => name === rule)?.readsFacts ?? [];
  const { callers, orbisets } = member.definition.spec.match;
  if (reads.length === 0 && (isGiven(callers) || isGiven(orbisets))) return false;
  return reads.every((path) => path.startsWith('orb.') || path.startsWith('response.'));
};

function violationsOf(policy: EvaluatedPolicy): readonly Violation[] {
  if (!policy.isEnforced) return [];
  const { member, results } = policy;
  return results.flatMap(({ rule, effect, value }) =>
    effect === 'deny' && value === true
      ? [
          {
            rule: `${member.id}/${rule}`,
            severity: severityOf(member, rule),
            isAboutOrb: isAboutOrb(policy, rule),
            priority: member.definition.spec.priority,
          },
        ]
      : [],
  );
}

function mustBeReady({ requireReady, namespace }: MissingMember, options: DecideOptions): boolean {
  return requireReady || (options.orbiset.requireReady && namespace === options.namespace);
}

/**
 * The default of an Orbiset is about a run, and PreFlight decides it: a rule that allows there needs no second one in the
 * phases that other policies add.
 */
const orbisetIn = (phase: Phase, { orbiset }: DecideOptions): OrbisetPolicies =>
  phase === 'PreFlight' ? orbiset : { ...orbiset, defaultEffect: 'allow' };

const silentIn = (phase: Phase): Decision => ({
  phase,
  decision: 'allow',
  defaultUsed: true,
  denials: [],
  rules: [],
  obligations: {},
  exceptionsUsed: [],
  violations: [],
  shadow: { decision: 'would_allow', differs: false },
  hasIgnoredErrors: false,
});

/** No policy says anything, and the default allows: so it is for most runs. */
const SILENT: Readonly<Record<Phase, Decision>> = {
  PreFlight: silentIn('PreFlight'),
  Request: silentIn('Request'),
  Response: silentIn('Response'),
};

/**
 * Decides about one phase of a run: the one function for execution, dry run, tests and replay. Pure, synchronous, never
 * throws. The same facts, set and options give the same decision; the only clock is the fact `run.started_at`.
 * @param facts those of the phase and of the phases before it
 */
export function decide(set: PolicySet, facts: Facts, phase: Phase, options: DecideOptions): Decision {
  const policies = evaluatePolicies(set, facts, phase, options);
  const missing = set.missing.filter((policy) => mustBeReady(policy, options) && policy.isMatch(facts));
  const orbiset = orbisetIn(phase, options);
  if (policies.length === 0 && missing.length === 0 && orbiset.defaultEffect === 'allow') return SILENT[phase];
  const common = { orbiset, facts, phase };
  const enforced = {
    ...common,
    policies: policies.filter(({ isEnforced }) => isEnforced),
    missing: missing.filter(({ mode }) => mode === 'Enforce'),
  };
  const combined = combine(enforced);
  const isWhole = enforced.policies.length === policies.length && enforced.missing.length === missing.length;
  const shadow = isWhole ? combined : combine({ ...common, policies, missing });
  return {
    phase,
    decision: combined.decision,
    defaultUsed: combined.defaultUsed,
    denials: reported(combined.denials, set),
    rules: policies.flatMap(rulesOf),
    obligations: combined.obligations,
    exceptionsUsed: combined.exceptionsUsed,
    violations: worstViolations(policies.flatMap(violationsOf)),
    shadow: { decision: `would_${shadow.decision}`, differs: shadow.decision !== combined.decision },
    hasIgnoredErrors: combined.hasIgnoredErrors,
  };
}

/**
 * The decision when approvals are counted: denied with `approval-required` while a scope that an obligation names has
 * not approved. A decision that denies stays as it is.
 * @param approved scopes with an unused grant for this run
 */
export function withApprovals(decision: Decision, approved: readonly string[]): Decision {
  const wanted = decision.obligations.requireApproval ?? [];
  const open = wanted.filter((scope) => !approved.includes(scope));
  if (decision.decision === 'deny' || open.length === 0) return decision;
  const message = `this run needs the approval of another identity with ${open.join(', ')}`;
  const denial: Denial = { code: 'approval-required', policy: '', rule: '', severity: 'medium', message };
  return { ...decision, decision: 'deny', defaultUsed: false, denials: [denial] };
}
