import type { EntryOf } from '../log-entry/entry.ts';

/** Runs of one caller, of one age and version. */
export interface RunGroup {
  readonly caller: string;
  /** Month of the runs, `YYYY-MM`: a caller's tag changes with it. */
  readonly epoch: string;
  /** Whole days, ≥ 0. */
  readonly age_days: number;
  /** `same`: the version that is scored; `same_major`: another one of its line. */
  readonly version: 'same' | 'same_major' | 'other';
  readonly self: boolean;
  readonly runs: number;
  readonly success: number;
  readonly within_slo: number;
}

/** The newest test report of a version. */
export interface TestEvidence {
  readonly required: number;
  readonly passed: number;
  readonly age_days: number;
  readonly digest_match: boolean;
  /** One of `PROVENANCES`; any other text counts as `self_reported`. */
  readonly provenance: string;
}

/** A violation of a policy of the platform. */
export interface ViolationEvidence {
  readonly severity: EntryOf<'violation'>['severity'];
  readonly age_days: number;
}

/** An incident that is attributed to the Orb. */
export interface IncidentEvidence {
  readonly impact: EntryOf<'incident'>['impact'];
  readonly age_days: number;
  readonly open: boolean;
}

/** Everything that a score is computed from (trust.md §5.2). Ages are whole days at the day of the evaluation. */
export interface ReputationInput {
  /** Sorted by caller, epoch, age, version, self: the sums are the same for every reader then. */
  readonly groups: readonly RunGroup[];
  /** null: never tested. */
  readonly tests: TestEvidence | null;
  readonly violations: readonly ViolationEvidence[];
  readonly incidents: readonly IncidentEvidence[];
  /** Receipts that test reports cited: in 30 days, those of them that were invalid, and the invalid ones in 7 days. */
  readonly receipts: { readonly total: number; readonly invalid: number; readonly invalid_7d: number };
  readonly suspended: boolean;
  readonly meta: {
    readonly namespace_verified: boolean;
    readonly age_days: number;
    /** null: never suspended. */
    readonly namespace_suspension_age_days: number | null;
    /** null: no witnesses are configured. */
    readonly log_witnessed: boolean | null;
  };
}
