/** Outcomes of a run. They fix the status, the HTTP code and what reputation counts (trust.md §1.1). */
export const RUN_OUTCOMES = [
  'success',
  'orb_error',
  'timeout',
  'policy_denied',
  'caller_error',
  'platform_error',
] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Outcomes of one attempt at a provider (failover.md §2). */
export const ATTEMPT_OUTCOMES = [
  'success',
  'error',
  'timeout',
  'rate_limited',
  'client_error',
  'cancelled',
  'blocked',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export type CheckId =
  | 'manifest'
  | 'caller_auth'
  | 'policy'
  | 'input_schema'
  | 'output_schema'
  | 'isolation'
  | 'slo'
  | 'standing';
export type CheckResult = 'pass' | 'fail' | 'unknown' | 'not_applicable';
export type Severity = 'low' | 'medium' | 'high' | 'critical';
export type RiskLevel = Severity;

/** Weights of `orb-trust/1` (trust.md §4), in the order of a record. */
export const CHECK_WEIGHTS: Readonly<Record<CheckId, number>> = {
  manifest: 20,
  caller_auth: 10,
  policy: 20,
  input_schema: 10,
  output_schema: 15,
  isolation: 10,
  slo: 5,
  standing: 10,
};

/** The eight checks in the order of a record. */
export const CHECK_ORDER: readonly CheckId[] = [
  'manifest',
  'caller_auth',
  'policy',
  'input_schema',
  'output_schema',
  'isolation',
  'slo',
  'standing',
];

export interface AttemptRecord {
  readonly provider: string;
  readonly outcome: AttemptOutcome;
  /** 100–599; null without an answer. */
  readonly http_status: number | null;
  readonly duration_ms: number;
}

export interface CommitmentRecord {
  /** `sha256:` + hex of SHA-256(salt ‖ bytes), trust.md §1.4. */
  readonly commitment: string;
  readonly media_type: string;
  readonly size_bytes: number;
}

export interface CheckRecord {
  readonly id: CheckId;
  readonly weight: number;
  readonly result: CheckResult;
}

/** The closed record that a receipt signs (`receipt/v1`, trust.md §1.1): every member is present, and no others. */
export interface ReceiptRecord {
  readonly schema: string;
  readonly receipt_id: string;
  readonly issuer: string;
  readonly issued_at: string;
  readonly orb: { readonly id: string; readonly manifest_digest: string; readonly irreversible: boolean };
  readonly execution: {
    readonly run_id: string;
    readonly outcome: RunOutcome;
    readonly closed_by: 'runtime' | 'sweeper';
    readonly started_at: string;
    readonly finished_at: string;
    readonly duration_ms: number;
    readonly slo_ms: number;
    readonly attempts: readonly AttemptRecord[];
  };
  readonly caller: { readonly tag: string; readonly self: boolean };
  readonly input: CommitmentRecord;
  readonly output: CommitmentRecord | null;
  readonly policy: {
    readonly set_digest: string;
    readonly facts_schema: string;
    readonly facts_digest: string;
    readonly decision: 'allow' | 'deny';
    readonly violations: readonly { readonly rule: string; readonly severity: Severity }[];
  };
  readonly checks: readonly CheckRecord[];
  readonly trust_score: number;
  readonly risk_level: RiskLevel;
  readonly scoring: 'orb-trust/1';
  readonly parent_receipt_id: string | null;
}
