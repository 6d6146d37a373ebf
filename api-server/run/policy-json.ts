import type { JsonObject } from '../../core/json/json-value.ts';
import type { DecidedRule, Denial } from '../../core/policy/decision/decision.ts';
import type { PhaseDecision } from '../../core/policy/decision/run-decision.ts';

/** Where a rule was decided; PreFlight is not said. */
const placeOf = ({ phase, provider }: PhaseDecision): JsonObject => (phase === 'PreFlight' ? {} : { phase, provider });

const ruleJson = (rule: DecidedRule): JsonObject => ({
  policy: rule.policy,
  policy_digest: rule.policyDigest,
  rule: rule.rule,
  effect: rule.effect,
  result: rule.result,
  enforced: rule.enforced,
  severity: rule.severity,
  message: rule.message,
});

/** A denial as answers show it. What no rule says has its code in place of a rule. */
export const denialJson = ({ policy, rule, severity, code }: Denial): JsonObject => ({
  policy,
  rule: rule === '' ? code : rule,
  severity,
  ...(code === 'policy-denied' ? {} : { code }),
});

/** Denials that an answer names: thousands of rules can deny one run, and its record has as many as fit. */
const MOST_DENIALS = 64;

/** The first denials, as answers show them. */
export const denialsJson = (denials: readonly Denial[]): readonly JsonObject[] =>
  denials.slice(0, MOST_DENIALS).map(denialJson);

/** Every enforced or audited rule that matched or failed, as answers and records show it. */
export const rulesJson = (phases: readonly PhaseDecision[]): readonly JsonObject[] =>
  phases.flatMap((one) => one.decision.rules.map((rule) => ({ ...ruleJson(rule), ...placeOf(one) })));
