import type { ReputationInput } from './input.ts';

/** A condition that limits the score, whatever the evidence is. */
export interface Cap {
  readonly id:
    | 'tests_not_current'
    | 'open_critical_incident'
    | 'critical_violation_30d'
    | 'invalid_receipt_7d'
    | 'suspended';
  /** Largest value of the score, 0–1. */
  readonly limit: number;
}

/** Every cap, in the order of trust.md §5.3. */
const CAPS: readonly (Cap & { readonly isActive: (input: ReputationInput, testsAreCurrent: boolean) => boolean })[] = [
  { id: 'tests_not_current', limit: 0.39, isActive: (_, testsAreCurrent) => !testsAreCurrent },
  {
    id: 'open_critical_incident',
    limit: 0.3,
    isActive: ({ incidents }) => incidents.some(({ impact, open }) => open && impact === 'critical'),
  },
  {
    id: 'critical_violation_30d',
    limit: 0.3,
    isActive: ({ violations }) =>
      violations.some(({ severity, age_days: age }) => severity === 'critical' && age <= 30),
  },
  { id: 'invalid_receipt_7d', limit: 0.2, isActive: ({ receipts }) => receipts.invalid_7d > 0 },
  { id: 'suspended', limit: 0, isActive: ({ suspended }) => suspended },
];

/** The caps that are active. */
export const capsOf = (input: ReputationInput, testsAreCurrent: boolean): readonly Cap[] =>
  CAPS.filter(({ isActive }) => isActive(input, testsAreCurrent)).map(({ id, limit }) => ({ id, limit }));
