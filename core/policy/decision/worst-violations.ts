import type { Severity } from '../../receipt/record.ts';
import type { Violation } from './decision.ts';

/** Most violations of one decision, and of a receipt. */
const MAX_VIOLATIONS = 64;
const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'critical'];

const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
const rank = ({ severity }: Violation): number => SEVERITIES.indexOf(severity);
const inOrder = (one: Violation, other: Violation): number =>
  other.priority - one.priority || byText(one.rule, other.rule);

/** The worst 64, each rule once; they are shown by priority, then name (policy.md §3.4). */
export function worstViolations(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length === 0) return violations;
  return [...new Map(violations.map((violation) => [violation.rule, violation])).values()]
    .toSorted((one, other) => rank(other) - rank(one) || inOrder(one, other))
    .slice(0, MAX_VIOLATIONS)
    .toSorted(inOrder);
}
