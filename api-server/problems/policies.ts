import type { ProblemPart } from './problem-part.ts';

/** Codes of policies and decisions (policy.md §5). */
export const policyProblems = {
  'policy-invalid': {
    status: 422,
    title: 'Policy is not valid',
    next: 'Correct what errors[] points at. POST /policies/validate shows the same, with warnings and cost.',
  },
  'policy-not-found': {
    status: 404,
    title: 'No such policy',
    next: 'Check namespace, name and digest; policies of other tenants are not shown.',
  },
  'already-exists': {
    status: 409,
    title: 'There is a policy of this name',
    next: 'Change it with PUT and If-Match, or choose another name.',
  },
  'precondition-required': {
    status: 428,
    title: 'The request must say which version it changes',
    next: 'Read the policy, and send its ETag as If-Match.',
  },
  'precondition-failed': {
    status: 412,
    title: 'The policy was changed since it was read',
    next: 'Read it again, make the change again, and send the new ETag as If-Match.',
  },
  'managed-elsewhere': {
    status: 409,
    title: 'Another writer keeps the policy as it is',
    next: 'Make the change where manager takes the policy from: patch is a JSON Merge Patch of the object, null deletes it.',
  },
  'replay-gate-not-met': {
    status: 409,
    title: 'No replay of this version meets the limits of the policy',
    next: 'Replay this version over a longer window, or change it until gate.failing is empty.',
  },
  'replay-not-found': {
    status: 404,
    title: 'No such replay',
    next: 'Check the replay id; replays of other tenants are not shown, and old ones are erased.',
  },
  'decision-not-found': {
    status: 404,
    title: 'No such decision',
    next: 'Check the decision id; decisions of other tenants are not shown, and old ones are erased.',
  },
  'facts-not-recorded': {
    status: 409,
    title: 'The facts of the decision are not stored',
    next: 'Explain a newer decision: facts are erased after the time that the platform is set to, 90 days by default, and never stored under an obligation noStore.',
  },
  'approval-not-open': {
    status: 409,
    title: 'The decision waits for no approval',
    next: 'Approve a decision whose approvals[] is not empty, once: the run is then sent again within 15 minutes.',
  },
} as const satisfies ProblemPart;
