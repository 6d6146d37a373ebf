import type { PolicyException } from '../../../crds/orbpolicy.ts';
import type { Severity } from '../../receipt/record.ts';
import type { Phase } from '../facts/fact-schema.ts';
import type { RuleEffect } from '../language/port.ts';
import type { Obligations } from './obligations.ts';

/** A rule that matched or failed; the others are not recorded (policy.md §3.4). */
export interface DecidedRule {
  /** `namespace/name`. */
  readonly policy: string;
  readonly policyDigest: string;
  readonly rule: string;
  readonly effect: RuleEffect;
  readonly result: 'true' | 'error';
  /** False: an Audit policy, or outside the rollout. */
  readonly enforced: boolean;
  readonly severity: Severity;
  /** For the caller; empty unless the rule denies. */
  readonly message: string;
}

/** Why a run is denied. */
export type DenialCode =
  | 'policy-denied'
  | 'policy-error'
  | 'default-deny'
  | 'policy-not-ready'
  | 'unknown-obligation'
  | 'bad-obligation'
  | 'obligation-failed'
  | 'approval-required';

export interface Denial {
  readonly code: DenialCode;
  /** `namespace/name`; empty when it is the Orbiset's own default. */
  readonly policy: string;
  /** Empty when no rule says it. */
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
}

/** An enforced deny rule that matched, also one that an exception switched off. */
export interface Violation {
  /** `namespace/name/rule`. */
  readonly rule: string;
  readonly severity: Severity;
  /** Of its policy: which violation is shown first. */
  readonly priority: number;
  /**
   * True: it reads facts of the Orb and of the response alone, so that it says something about the Orb and not about
   * its callers. Only such violations go into the log, and only of policies of the platform.
   */
  readonly isAboutOrb: boolean;
}

export interface UsedException {
  readonly policy: string;
  readonly exception: PolicyException;
}

export interface Decision {
  readonly phase: Phase;
  readonly decision: 'allow' | 'deny';
  /** No rule decided: the default did. */
  readonly defaultUsed: boolean;
  /** The first is the one to report: by priority, then name. Empty when allowed. */
  readonly denials: readonly Denial[];
  readonly rules: readonly DecidedRule[];
  /** Of enforced rules; what an allowed run is bound to. */
  readonly obligations: Obligations;
  readonly exceptionsUsed: readonly UsedException[];
  /** At most 64, the worst first, then by priority and name. */
  readonly violations: readonly Violation[];
  /** What every policy together, audited ones too, would decide. It never changes the run. */
  readonly shadow: { readonly decision: 'would_allow' | 'would_deny'; readonly differs: boolean };
  /** An enforced rule failed, and its policy ignores failures. */
  readonly hasIgnoredErrors: boolean;
}
