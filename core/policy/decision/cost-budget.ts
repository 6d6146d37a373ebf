import { PHASES, type Phase } from '../facts/fact-schema.ts';
import type { CompiledPolicy } from '../language/port.ts';

/** Most units of all policies that can meet one run, in each phase: about 5 ms (policy.md §1.2). */
export const MAX_SET_UNITS = 50_000;

/** Units of all policies in each phase. */
export const unitsOfSet = (policies: readonly Pick<CompiledPolicy, 'costUnits'>[]): Readonly<Record<Phase, number>> => {
  const sumOf = (phase: Phase): number => policies.reduce((sum, { costUnits }) => sum + (costUnits[phase] ?? 0), 0);
  return { PreFlight: sumOf('PreFlight'), Request: sumOf('Request'), Response: sumOf('Response') };
};

/**
 * The policies that fit into the budget of a tenant, and those that do not.
 * @param policies the oldest first: a new policy never pushes out one that is in force
 */
export function withinBudget<Policy extends { readonly compiled: Pick<CompiledPolicy, 'costUnits'> }>(
  policies: readonly Policy[],
): { readonly kept: readonly Policy[]; readonly refused: readonly Policy[] } {
  const kept: Policy[] = [];
  const refused: Policy[] = [];
  for (const policy of policies) {
    const units = unitsOfSet([...kept, policy].map(({ compiled }) => compiled));
    const fits = PHASES.every((phase) => units[phase] <= MAX_SET_UNITS);
    (fits ? kept : refused).push(policy);
  }
  return { kept, refused };
}
