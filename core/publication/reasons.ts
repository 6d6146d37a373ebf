import { no, yes, type Reasons } from '../reconcile/reasons.ts';

/** Reasons of the conditions of an OrbPublication. */
export const PUBLICATION_REASONS = {
  Ready: {
    AwaitingEvaluation: no('The publication is valid and has not been evaluated yet.'),
    ManifestInvalid: no('The manifest has errors: write what the message says.'),
    SpecInvalid: no('The spec has errors: write what the message says.'),
    UnsafeInteger: no('An integer is beyond ±(2^53−1) and was rounded on its way: write it as a string.'),
    Suspended: no('spec.suspended is true: new runs of this version are refused.'),
  },
  Reconciling: {
    AwaitingEvaluation: yes('The evaluation is outstanding.'),
  },
  Stalled: {
    ManifestInvalid: yes('Nothing goes on until the manifest is changed.'),
    SpecInvalid: yes('Nothing goes on until the spec is changed.'),
    UnsafeInteger: yes('Nothing goes on until the integer is written as a string.'),
  },
} as const satisfies Reasons;
