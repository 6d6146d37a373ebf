import { no, yes, type Reasons } from '../reconcile/reasons.ts';

/** Reasons of the conditions of an OrbPublication. */
export const PUBLICATION_REASONS = {
  Ready: {
    AwaitingEvaluation: no('The publication is valid and has not been evaluated yet.'),
    ManifestInvalid: no('The manifest has errors: correct it as the message says.'),
    SpecInvalid: no('The spec has errors: correct it as the message says.'),
    UnsafeInteger: no('An integer is outside ±(2^53−1) and was rounded in transit: write it as a string.'),
    Suspended: no('spec.suspended is true: new runs of this version are refused.'),
  },
  Reconciling: {
    AwaitingEvaluation: yes('The evaluation is outstanding.'),
  },
  Stalled: {
    ManifestInvalid: yes('The operator waits until the manifest is changed.'),
    SpecInvalid: yes('The operator waits until the spec is changed.'),
    UnsafeInteger: yes('The operator waits until the integer is written as a string.'),
  },
} as const satisfies Reasons;
