import { no, yes, type Reasons } from '../../reconcile/reasons.ts';

/** Reasons of the conditions of an OrbPolicy. */
export const POLICY_REASONS = {
  Ready: {
    Accepted: yes('This version compiles and passes its tests: every API process takes it over within seconds.'),
    Disabled: no('spec.mode is Disabled: the policy decides and records nothing.'),
    SpecInvalid: no('The spec has errors: correct it as the message says. The last good version stays in force.'),
    ScopeNotAllowed: no('Only the namespace of the platform has policies for every tenant: write scope Namespace.'),
    CostBudget: no(
      'All policies that can meet one run cost too much together, and this is the newest: make it or others cheaper.',
    ),
    CompileFailed: no('A rule does not compile: correct it as the message says. The last good version stays in force.'),
    TestsFailed: no('A test of the policy failed; the message names it. The last good version stays in force.'),
  },
  Stalled: {
    SpecInvalid: yes('The operator waits until the spec is changed.'),
    CompileFailed: yes('The operator waits until the spec is changed.'),
    TestsFailed: yes('The operator waits until the spec is changed.'),
    ScopeNotAllowed: yes('The operator waits until the spec is changed.'),
    CostBudget: yes('The policy is not in force until the policies that can meet one run cost less.'),
  },
  Compiled: {
    Compiled: yes('Every expression compiles; the message holds the warnings.'),
    CompileFailed: no('An expression, an obligation or an exception is wrong; the message says where.'),
  },
  TestsPassed: {
    TestsPassed: yes('Every test passed.'),
    NoTests: yes('The policy has no tests.'),
    TestsFailed: no('A test failed; the message says which, and what came instead.'),
  },
  Enforced: {
    Enforced: yes('Runs that it denies are denied.'),
    Audited: no('It only audits: runs that it would deny are recorded.'),
    AuditedTooLong: no('It has only audited for more than 90 days: promote it to Enforce, or remove it.'),
  },
  ReplayGatePassed: {
    ReplayPassed: yes('A finished replay of this version meets spec.promotion.requireReplay.'),
    ReplayMissing: no('No finished replay of this version exists, so Enforce has no effect yet: start one.'),
    ReplayFailed: no('No replay of this version meets the limits; the message names those of the newest one.'),
  },
  WithinBudget: {
    WithinBudget: yes('All policies that can meet one run fit into the budget of a decision.'),
    CostBudget: no('This policy does not fit into the budget of a decision, so it is not in force.'),
  },
} as const satisfies Reasons;
