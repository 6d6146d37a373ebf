import type { ProblemPart } from './problem-part.ts';

/** Codes of policies and decisions (policy.md §5). */
export const policyProblems = {
  'policy-invalid': {
    status: 422,
    title: 'Policy is not valid',
    next: 'Correct what errors[] points at. POST /policies/validate shows the same, with warnings and cost.',
  },
  'decision-not-found': {
    status: 404,
    title: 'No such decision',
    next: 'Check the decision id; decisions of other tenants are not shown, and old ones are erased.',
  },
  'facts-not-recorded': {
    status: 409,
    title: 'The facts of the decision are not stored',
    next: 'Explain a newer decision: facts are kept for 90 days, unless an obligation noStore holds them back.',
  },
  'approval-not-open': {
    status: 409,
    title: 'The decision waits for no approval',
    next: 'Approve a decision whose approvals[] is not empty, once: the run is then sent again within 15 minutes.',
  },
} as const satisfies ProblemPart;
