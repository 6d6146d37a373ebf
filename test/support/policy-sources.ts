import type { PolicySource, RuleSource } from '../../core/policy/language/port.ts';

/** A rule that denies when the condition holds. */
export const denyWhen = (when: string, name = 'rule'): RuleSource => ({ name, effect: 'deny', when });

/** The expressions of a policy with one rule for PreFlight, unless said otherwise. */
export const aPolicySource = (when: string, parts: Partial<PolicySource> = {}): PolicySource => ({
  digest: 'sha256:policy',
  phases: ['PreFlight'],
  inputFacts: {},
  variables: [],
  rules: [denyWhen(when)],
  exceptedRules: [],
  ...parts,
});
