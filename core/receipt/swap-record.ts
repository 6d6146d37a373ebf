import type { JsonObject } from '../json/json-value.ts';

/** Reasons to leave a provider (failover.md §5.1) and the rules that decide (§5.3), as receipts name them. */
export const SWAP_REASONS = ['manual', 'hard_failure', 'latency', 'failback'] as const;
export const SWAP_RULES = [
  'pinned',
  'metrics-unusable',
  'hard-failure',
  'all-down',
  'frozen',
  'ramp',
  'low-traffic',
  'degraded',
  'trial-ramp',
  'failback',
  'flapping',
  'healthy',
] as const;

// Types, not interfaces: TypeScript accepts only types as JSON objects.

/** The caller of a manual swap; null: no longer known when the receipt was written. */
export type SwapActor = {
  /** `key:<keyid>`, `sa:<namespace>/<name>`, or the field manager of another writer. */
  readonly id: string | null;
  readonly reason: string | null;
  readonly mode: 'soft' | 'hard' | 'once' | null;
  readonly expires_at: string | null;
  /** Id of the pin, or its digest when it has no id. */
  readonly swap_id: string | null;
};

/** One provider as seen by the decision. */
export type SwapCandidate = {
  readonly provider: string;
  readonly active: boolean;
  readonly n: number;
  readonly p50_ms: number | null;
  /** Latency in ms at the quantile of the configuration. */
  readonly pq_ms: number | null;
  readonly base_ms: number | null;
  readonly attempts: number;
  readonly bad: number;
  readonly probe_n: number;
  readonly probe_ok: number;
  readonly eligible: boolean;
  readonly why: string;
};

/** Basis of an automatic swap: latencies in ms, ratios in basis points. */
export type SwapEvidence = JsonObject & {
  readonly config: JsonObject & {
    readonly quantile_bp: number;
    readonly limit_ms: number | null;
    readonly consecutive: number;
  };
  readonly metrics: JsonObject & {
    readonly source: 'prometheus' | 'process';
    readonly evaluated_at: string;
    readonly age_ms: number;
  };
  readonly candidates: readonly SwapCandidate[];
  readonly streak: number;
  readonly replay: JsonObject & { readonly omitted: readonly ('promql' | 'candidates')[] };
};

/**
 * The closed record that a swap receipt signs (`swap-receipt/v1`, failover.md §10): every member is present, and no
 * others.
 */
export type SwapReceipt = {
  readonly schema: string;
  readonly receipt_id: string;
  readonly issuer: string;
  readonly issued_at: string;
  readonly orb: { readonly id: string; readonly manifest_digest: string; readonly generation: number };
  readonly swap: {
    /** 1, 2, … per object. */
    readonly seq: number;
    readonly kind: 'automatic' | 'manual';
    readonly from: string;
    readonly to: string;
    readonly reason: (typeof SWAP_REASONS)[number];
    readonly rule: (typeof SWAP_RULES)[number];
    readonly decided_at: string;
  };
  /** The evaluator: program and version, its instance, and the epoch of its lease. */
  readonly evaluator: { readonly id: string; readonly instance: string; readonly epoch: number };
  readonly actor: SwapActor | null;
  /** Basis of the decision; null: a manual swap, or not kept until the receipt was written. */
  readonly evidence: SwapEvidence | null;
  /** Id of the same object's receipt before it. */
  readonly previous_receipt_id: string | null;
};
