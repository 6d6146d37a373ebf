import type { VerbEntry } from './args/verb.ts';

/** Verbs of policies and of what they decided, in the order of the help. */
export const policyVerbs: readonly VerbEntry[] = [
  {
    name: 'policy validate',
    summary: 'Checks policies offline: what is wrong, what they cost and read, and whether their tests pass.',
    load: async () => (await import('./policy/policy-validate.ts')).policyValidateVerb,
  },
  {
    name: 'policy test',
    summary: 'Runs the tests of policies offline.',
    load: async () => (await import('./policy/policy-test.ts')).policyTestVerb,
  },
  {
    name: 'policy list',
    summary: 'Lists policies: what they say, and what holds.',
    load: async () => (await import('./policy/policy-list.ts')).policyListVerb,
  },
  {
    name: 'policy get',
    summary: 'Shows a policy, and what is known of it.',
    load: async () => (await import('./policy/policy-get.ts')).policyGetVerb,
  },
  {
    name: 'policy apply',
    summary: 'Creates policies from files, or replaces them.',
    load: async () => (await import('./policy/policy-apply.ts')).policyApplyVerb,
  },
  {
    name: 'policy delete',
    summary: 'Deletes a policy.',
    load: async () => (await import('./policy/policy-delete.ts')).policyDeleteVerb,
  },
  {
    name: 'policy evaluate',
    summary: 'Says what policies would decide about one request.',
    load: async () => (await import('./policy/policy-evaluate.ts')).policyEvaluateVerb,
  },
  {
    name: 'policy replay',
    summary: 'Says what a policy would have decided about your past runs.',
    load: async () => (await import('./policy/policy-replay.ts')).policyReplayVerb,
  },
  {
    name: 'policy promote',
    summary: 'Enforces a policy, when its replay gate is met.',
    load: async () => (await import('./policy/policy-promote.ts')).policyPromoteVerb,
  },
  {
    name: 'policy rollback',
    summary: 'Goes back to an earlier version of a policy.',
    load: async () => (await import('./policy/policy-rollback.ts')).policyRollbackVerb,
  },
  {
    name: 'policy versions',
    summary: 'Lists the versions of a policy.',
    load: async () => (await import('./policy/policy-versions.ts')).policyVersionsVerb,
  },
  {
    name: 'policy coverage',
    summary: 'Lists rules that never or always matched.',
    load: async () => (await import('./policy/policy-coverage.ts')).policyCoverageVerb,
  },
  {
    name: 'decisions list',
    summary: 'Lists what policies decided about runs, newest first.',
    load: async () => (await import('./decisions/decisions-list.ts')).decisionsListVerb,
  },
  {
    name: 'decisions get',
    summary: 'Shows what policies decided about a run.',
    load: async () => (await import('./decisions/decisions-get.ts')).decisionsGetVerb,
  },
  {
    name: 'decisions explain',
    summary: 'Shows why policies decided so, and what would have changed it.',
    load: async () => (await import('./decisions/decisions-explain.ts')).decisionsExplainVerb,
  },
  {
    name: 'decisions approve',
    summary: 'Approves a run that a policy holds back.',
    load: async () => (await import('./decisions/decisions-approve.ts')).decisionsApproveVerb,
  },
];
