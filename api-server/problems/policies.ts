import type { ProblemPart } from './problem-part.ts';

/** Codes of policies and decisions (policy.md §5). */
export const policyProblems = {} as const satisfies ProblemPart;
