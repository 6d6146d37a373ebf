import type { PolicyObligation } from '../../../crds/orbpolicy.ts';
import type { OrbisetPolicies } from '../../manifest/policies.ts';
import type { Severity } from '../../receipt/record.ts';
import type { Phase } from '../facts/fact-schema.ts';
import type { Facts, RuleResult } from '../language/port.ts';
import type { Denial, DenialCode, UsedException } from './decision.ts';
import type { EvaluatedPolicy } from './matched-policies.ts';
import { mergeObligations, type Obligations } from './obligations.ts';
import type { MissingMember, SetMember } from './policy-set.ts';

export interface CombineInput {
  readonly policies: readonly EvaluatedPolicy[];
  /** Policies without a version in force that mean the run and must be ready. */
  readonly missing: readonly MissingMember[];
  readonly orbiset: OrbisetPolicies;
  readonly facts: Facts;
  readonly phase: Phase;
}

export interface Combined {
  readonly decision: 'allow' | 'deny';
  readonly defaultUsed: boolean;
  readonly denials: readonly Denial[];
  readonly obligations: Obligations;
  readonly exceptionsUsed: readonly UsedException[];
  readonly hasIgnoredErrors: boolean;
}

type Outcome =
  | { readonly kind: 'nothing' | 'ignored' }
  | { readonly kind: 'denied'; readonly code: 'policy-denied' | 'policy-error' }
  | { readonly kind: 'excepted'; readonly used: UsedException }
  | { readonly kind: 'allowed' | 'bound'; readonly obligations: readonly PolicyObligation[] };

/** What a rule that failed means: always a denial, unless the policy ignores failures (policy.md §3.2). */
function outcomeOfError(member: SetMember, result: RuleResult): Outcome {
  if (result.code === 'evaluator-failed' || member.definition.spec.failurePolicy === 'Fail')
    return { kind: 'denied', code: 'policy-error' };
  // An error never loosens: a rule that requires something holds.
  return result.effect === 'require'
    ? { kind: 'bound', obligations: obligationsOf(member, result) }
    : { kind: 'ignored' };
}

const obligationsOf = (member: SetMember, { rule }: RuleResult): readonly PolicyObligation[] =>
  member.definition.spec.rules.find(({ name }) => name === rule)?.obligations ?? [];

function outcomeOf(member: SetMember, result: RuleResult, facts: Facts): Outcome {
  if (result.value === false) return { kind: 'nothing' };
  if (result.effect === 'deny' && result.code === undefined) {
    const exception = member.exceptionFor(result.rule, facts);
    if (exception !== undefined) return { kind: 'excepted', used: { policy: member.id, exception } };
  }
  if (result.value === 'error') return outcomeOfError(member, result);
  if (result.effect === 'deny') return { kind: 'denied', code: 'policy-denied' };
  const kind = result.effect === 'allow' ? 'allowed' : 'bound';
  return { kind, obligations: obligationsOf(member, result) };
}

interface Judged {
  readonly member: SetMember;
  readonly result: RuleResult;
  readonly outcome: Outcome;
}

/** Severity of a rule as the policy says it. */
export const severityOf = ({ definition }: SetMember, rule: string): Severity =>
  definition.spec.rules.find(({ name }) => name === rule)?.severity ?? 'medium';

const DEFAULT_SEVERITY = 'medium';

const denialOf = (code: DenialCode, policy: string, message: string): Denial => ({
  code,
  policy,
  rule: '',
  severity: DEFAULT_SEVERITY,
  message,
});

function ruleDenials(judged: readonly Judged[]): readonly Denial[] {
  return judged.flatMap(({ member, result, outcome }) => {
    if (outcome.kind !== 'denied') return [];
    const { rule } = result;
    const failed = `rule ${rule} of policy ${member.id} could not be decided`;
    const message = outcome.code === 'policy-denied' ? (result.message ?? '') : failed;
    return [{ code: outcome.code, policy: member.id, rule, severity: severityOf(member, rule), message }];
  });
}

const missingDenials = (missing: readonly MissingMember[]): readonly Denial[] =>
  missing.map(({ id }) => denialOf('policy-not-ready', id, `policy ${id} must be in force, and is not`));

function obligationsAll(judged: readonly Judged[]): readonly PolicyObligation[] {
  return judged.flatMap(({ outcome }) =>
    outcome.kind === 'allowed' || outcome.kind === 'bound' ? outcome.obligations : [],
  );
}

function obligationDenials(judged: readonly Judged[], phase: Phase): readonly Denial[] {
  const { fault } = mergeObligations(obligationsAll(judged), phase);
  return fault === undefined ? [] : [denialOf(fault.code, '', fault.detail)];
}

const isPlatform = ({ definition }: SetMember): boolean => definition.spec.scope === 'Platform';

/**
 * The policy that says `deny` by default; empty: the Orbiset does; undefined: nobody does, or a rule allows. A default of
 * the platform yields to rules of the platform alone: else a tenant could allow itself everything.
 */
function defaultDenier({ policies, orbiset }: CombineInput, allowing: readonly SetMember[]): string | undefined {
  const isAllowed = allowing.length > 0;
  if (orbiset.defaultEffect === 'deny' && !isAllowed) return '';
  const isAllowedForAll = allowing.some(isPlatform);
  return policies.find(
    ({ member }) =>
      member.definition.spec.defaultEffect === 'deny' && !(isPlatform(member) ? isAllowedForAll : isAllowed),
  )?.member.id;
}

/**
 * Combines the results of policies that are all taken as enforced (policy.md §3.2): any denial denies; else any allow
 * allows; else the strictest default decides, that of the platform also beside a tenant's rule that allows. Obligations of rules that require or allow are united.
 */
export function combine(input: CombineInput): Combined {
  const { policies, missing, facts, phase } = input;
  const judged = policies.flatMap(({ member, results }) =>
    results.map((result) => ({ member, result, outcome: outcomeOf(member, result, facts) })),
  );
  const found = [...ruleDenials(judged), ...missingDenials(missing), ...obligationDenials(judged, phase)];
  const allowing = judged.flatMap(({ member, outcome }) => (outcome.kind === 'allowed' ? [member] : []));
  const denier = found.length === 0 ? defaultDenier(input, allowing) : undefined;
  const defaultUsed = found.length === 0 && (denier !== undefined || allowing.length === 0);
  const byDefault =
    denier === undefined ? [] : [denialOf('default-deny', denier, 'no rule of a policy allows this run')];
  const denials = [...found, ...byDefault];
  return {
    decision: denials.length > 0 ? 'deny' : 'allow',
    defaultUsed,
    denials,
    obligations: mergeObligations(obligationsAll(judged), phase).merged,
    exceptionsUsed: judged.flatMap(({ outcome }) => (outcome.kind === 'excepted' ? [outcome.used] : [])),
    hasIgnoredErrors: judged.some(({ result, outcome }) => result.value === 'error' && outcome.kind !== 'denied'),
  };
}
