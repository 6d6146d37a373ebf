import type { KnownPolicy } from './policy-feed.ts';

/** What holds of a policy in place of its newest generation: an earlier one, or no version at all. */
export const SUBSTITUTES = ['last_good', 'nothing'] as const;

export type Substitute = (typeof SUBSTITUTES)[number];

/** A policy by name, and what holds in place of its newest generation; undefined: that one is in force, or disabled. */
export type PolicyStanding = readonly [policy: string, substitute: Substitute | undefined];

/** @param isOverBudget the policies of its namespace cost too much with it */
export function substituteOf(
  { judged, version, wanted }: Pick<KnownPolicy, 'judged' | 'version' | 'wanted'>,
  isOverBudget: boolean,
): Substitute | undefined {
  if (version === undefined) return wanted === undefined ? undefined : 'nothing';
  if (isOverBudget) return 'nothing';
  return judged.kind === 'accepted' ? undefined : 'last_good';
}
