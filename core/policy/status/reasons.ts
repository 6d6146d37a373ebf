import { no, yes, type Reasons } from '../../reconcile/reasons.ts';

/** Reasons of the conditions of an OrbPolicy. */
export const POLICY_REASONS = {
  Ready: {
    Accepted: yes('This version compiles and passes its tests: every API process takes it over within seconds.'),
    Disabled: no('spec.mode is Disabled: the policy decides and records nothing.'),
    SpecInvalid: no('The spec has errors: correct it as the message says.'),
    CompileFailed: no('A rule does not compile: correct it as the message says. The last good version stays in force.'),
    TestsFailed: no('A test of the policy failed; the message names it. The last good version stays in force.'),
  },
  Stalled: {
    SpecInvalid: yes('The operator waits until the spec is changed.'),
    CompileFailed: yes('The operator waits until the spec is changed.'),
    TestsFailed: yes('The operator waits until the spec is changed.'),
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
} as const satisfies Reasons;
