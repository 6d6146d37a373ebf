import type { Finding } from '../../manifest/finding.ts';
import type { Expression } from './expression.ts';
import { implies } from './implies.ts';
import type { PolicyLintCode } from './lint-codes.ts';
import type { RuleEffect, RuleSource } from './port.ts';
import type { Steps } from '../../steps/steps.ts';

/** A rule whose condition was compiled. */
export interface CheckedRule {
  readonly source: RuleSource;
  readonly when: Expression;
  readonly pointer: string;
}

const warning = (code: PolicyLintCode, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'warning',
});

function constantFinding({ when, pointer, source }: CheckedRule): readonly Finding[] {
  if (when.constant === undefined) return [];
  const code = when.constant ? 'always-true' : 'always-false';
  const then = when.constant ? 'it means every run' : 'take it away';
  return [
    warning(code, pointer, `rule ${source.name} is ${code.replace('-', ' ')}: ${then}, or correct its condition`),
  ];
}

const isImplied = (rule: CheckedRule, by: CheckedRule): boolean =>
  by.when.constant === true || implies(rule.when.tree, by.when.tree);

/**
 * A rule that an earlier one of the same effect makes needless. Rules that add obligations are left out: each adds its
 * own.
 */
function shadowFinding(rule: CheckedRule, earlier: readonly CheckedRule[]): readonly Finding[] {
  const { effect, name } = rule.source;
  if (effect !== 'deny') return [];
  const by = earlier.find((other) => other.source.effect === effect && isImplied(rule, other));
  if (by === undefined) return [];
  return [warning('shadowed', rule.pointer, `rule ${name} is true only when ${by.source.name} is: take it away`)];
}

const YIELDS: Readonly<Record<RuleEffect, boolean>> = { allow: true, require: true, deny: false };

/** A rule that changes nothing, since a deny rule holds whenever it does. */
function unreachableFinding(rule: CheckedRule, rules: readonly CheckedRule[]): readonly Finding[] {
  const { effect, name } = rule.source;
  if (!YIELDS[effect] || rule.when.constant === false) return [];
  const by = rules.find((other) => other.source.effect === 'deny' && isImplied(rule, other));
  if (by === undefined) return [];
  return [
    warning('unreachable', rule.pointer, `rule ${name} changes nothing: whenever it is true, ${by.source.name} denies`),
  ];
}

/**
 * Warnings about conditions: `always-true`, `always-false`, `shadowed`, `unreachable`.
 * @param excepted names of rules that the policy's exceptions switch off: they make no other rule unreachable
 */
export function* lintRules(rules: readonly CheckedRule[], excepted: ReadonlySet<string>): Steps<readonly Finding[]> {
  const holding = rules.filter(({ source }) => !excepted.has(source.name));
  const findings: Finding[] = [];
  for (const [index, rule] of rules.entries()) {
    yield;
    const earlier = rules.slice(0, index).filter((other) => holding.includes(other));
    findings.push(...constantFinding(rule), ...shadowFinding(rule, earlier), ...unreachableFinding(rule, holding));
  }
  return findings;
}
