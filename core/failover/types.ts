import type { JsonObject } from '../json/json-value.ts';
import { type SWAP_REASONS, SWAP_RULES } from '../receipt/swap-record.ts';
import type { EventSpec } from '../reconcile/event-spec.ts';
import type { MetricsSnapshot, WindowName } from './metrics.ts';

/** `swap_config` with every default filled in (failover.md §4). Times in ms. */
export interface ResolvedSwapConfig {
  readonly primary: string;
  readonly fallbacks: readonly string[];
  readonly strategy: 'latency' | 'priority';
  readonly latency: {
    readonly quantile: 0.5 | 0.9 | 0.95 | 0.99;
    /** Null when the relative limit applies. */
    readonly thresholdMs: number | null;
    readonly degradeRatio: number;
    readonly minAbsMs: number;
    readonly minImprovement: number;
    readonly windows: readonly WindowName[];
    /** Null means 20, or 10 for an Orb with less than 0.2 samples a second over 10 minutes. */
    readonly minSamples: number | null;
    readonly baseMinSamples: number;
    readonly consecutive: number;
    readonly evaluationIntervalMs: number;
  };
  readonly hardFailure: {
    readonly errorRatio: number;
    readonly minRequests: number;
    readonly consecutiveFailures: number;
  };
  readonly dwell: {
    readonly minMs: number;
    readonly holdDownMs: number;
    readonly multiplier: number;
    readonly maxMs: number;
    readonly jitter: number;
    readonly maxSwapsPerHour: number;
  };
  readonly failback: {
    readonly mode: 'auto' | 'manual';
    readonly consecutive: number;
    readonly maxRatio: number;
    readonly minProbeOk: number;
    readonly minProbeSamples: number;
    readonly ramp: readonly number[];
    readonly rampStepMs: number;
  };
  readonly probe: {
    readonly mode: 'synthetic' | 'none';
    readonly intervalMs: number;
    readonly jitter: number;
    readonly timeoutMs: number;
    readonly maxPerHour: number;
    readonly inputs: JsonObject;
    /** Null means the only Orbiset of the Orb's namespace. */
    readonly orbiset: string | null;
    /** Providers whose probes are their execution's own request. Only these probes have the latency of a run. */
    readonly ownRequest: readonly string[];
  };
}

export type SwapReason = (typeof SWAP_REASONS)[number];

/** Rules of failover.md §5.3, by their name in metrics, status and receipts; `healthy`: no rule had to act. */
export const RULES = SWAP_RULES;
export type RuleId = (typeof RULES)[number];

/** A pin as input of the rules (failover.md §8). Times in ms since epoch. */
export interface FailoverPin {
  readonly provider: string;
  readonly mode: 'soft' | 'hard' | 'once';
  /** Id of the pin, or its digest when it has no id. */
  readonly id: string;
  readonly expiresAt: number;
  readonly actor: string | null;
  readonly reason: string | null;
}

/** A share of the traffic that goes to another provider; `trial`: to measure its latency (rule 4b). */
export interface Ramp {
  readonly provider: string;
  /** 1–99, because 100 would be a swap. */
  readonly percent: number;
  /** Ms since epoch. */
  readonly stepStartedAt: number;
  readonly trial: boolean;
}

/** A hold on a provider that was left: no swap back to it before `until`, ms since epoch. */
export interface Hold {
  readonly provider: string;
  readonly until: number;
  /** Number of times that it was left within an hour; the hold grows with this number. */
  readonly level: number;
}

/** One swap, or one aborted ramp, which counts for holds only and has no `seq` of its own. */
export interface SwapRecord {
  /** 1, 2, … per object, without a gap. */
  readonly seq: number;
  /** Ms since epoch. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly reason: SwapReason;
  readonly rule: RuleId;
  /** Epoch of the operator's lease. */
  readonly epoch: number;
  /** Id of the receipt that the API creates; it is chosen with the decision. */
  readonly receiptId: string;
  /** Person who pinned; null for an automatic swap. */
  readonly actor: string | null;
  /** JSON text, ≤ 4096 bytes; null for an old or a manual swap. */
  readonly evidence: string | null;
}

/**
 * State that survives a restart: `Orb.status.failover`, or a row of the standalone ledger (failover.md §6).
 * Times: ms since epoch.
 */
export interface FailoverStatus {
  readonly activeProvider: string;
  readonly since: number;
  readonly reason: 'primary' | SwapReason;
  /** Number of the last swap; 0 before the first. */
  readonly swapSeq: number;
  readonly epoch: number;
  readonly holds: readonly Hold[];
  readonly dwellUntil: number | null;
  readonly ramp: Ramp | null;
  readonly frozen: { readonly until: number; readonly reason: string } | null;
  readonly pin: {
    /** Id of the `once` pin that was followed. */
    readonly handledId: string | null;
    /** Id of the soft pin that rule 2 overrode. */
    readonly overriddenId: string | null;
    /** Id of the pin whose end was reported. */
    readonly expiredId: string | null;
    /** The current pin, and when it was seen first: its 168 hours begin then. */
    readonly firstSeen: { readonly id: string; readonly at: number } | null;
  };
  /** When this is newer than the last burst of probes, the API probes every standby at once. */
  readonly probeRequestedAt: number | null;
  /** At most 20 records, newest last; the newest 5 with evidence. */
  readonly history: readonly SwapRecord[];
  /** Aborted ramps of the last hour, which count for holds. */
  readonly aborts: readonly { readonly provider: string; readonly at: number }[];
}

/** Memory of the rules. A restart loses it, which costs at most `consecutive` evaluations. */
export interface FailoverMemory {
  readonly degraded: number;
  readonly trial: number;
  readonly recovered: number;
  /** The baseline of the first slow tick, kept until a swap or until the provider was fast for as many ticks. */
  readonly latched: { readonly baseMs: number; readonly fastTicks: number } | null;
}

export const NO_MEMORY: FailoverMemory = { degraded: 0, trial: 0, recovered: 0, latched: null };

/** The complete input of a decision. */
export interface FailoverInput {
  /** Ms since epoch: wall clock at start plus monotonic time since. */
  readonly now: number;
  /** [0, 1): the jitter of a hold. */
  readonly random: number;
  /** Epoch of the operator's lease, for the record. */
  readonly epoch: number;
  /** Receipt id for a swap that is decided now. */
  readonly receiptId: string;
  readonly config: ResolvedSwapConfig;
  /** Names with an execution, primary first, then fallbacks in manifest order. */
  readonly resolved: readonly string[];
  readonly pin: FailoverPin | null;
  readonly metrics: MetricsSnapshot;
  readonly persisted: FailoverStatus | null;
  readonly memory: FailoverMemory;
}

/**
 * Verdict about the active provider; only `degraded` and `failing` can lead to a swap.
 * Value and threshold in ms, or ratios.
 */
export type Verdict =
  | {
      readonly kind: 'healthy' | 'degraded' | 'failing';
      readonly value: number;
      readonly threshold: number;
      readonly window: string;
      readonly n: number;
      readonly ageMs: number;
    }
  | { readonly kind: 'inconclusive'; readonly why: 'low-traffic' | 'no-baseline' | 'nan' | 'multiple-series' }
  | { readonly kind: 'unavailable'; readonly why: string };

export type Decision =
  | { readonly kind: 'stay'; readonly rule: RuleId; readonly why: string }
  | { readonly kind: 'freeze'; readonly rule: 'flapping'; readonly until: number }
  | { readonly kind: 'swap'; readonly rule: RuleId; readonly to: string; readonly reason: SwapReason }
  | {
      readonly kind: 'ramp';
      readonly rule: RuleId;
      readonly to: string;
      readonly percent: number;
      readonly trial: boolean;
    }
  | { readonly kind: 'ramp-abort'; readonly to: string; readonly trial: boolean; readonly why: string };

/** One provider with the data of the decision. Latencies in ms; null: unknown. */
export interface Candidate {
  readonly provider: string;
  readonly active: boolean;
  readonly evidence: 'traffic' | 'probe' | 'none';
  readonly window: WindowName | null;
  readonly n: number;
  readonly p50Ms: number | null;
  readonly pqMs: number | null;
  readonly baseMs: number | null;
  readonly attempts: number;
  readonly bad: number;
  readonly probeN: number;
  readonly probeOk: number;
  /** Whether a swap by latency may choose it. */
  readonly eligible: boolean;
  /** A fixed word: why it is eligible, or why it is not. */
  readonly why: string;
}

/** The data of one evaluation for the status endpoint, gauges and receipt. */
export interface Explain {
  readonly rule: RuleId;
  /** Ms; null while unknown. */
  readonly limitMs: number | null;
  readonly baseMs: number | null;
  readonly window: WindowName | null;
  readonly minSamples: number;
  readonly candidates: readonly Candidate[];
}

export interface FailoverOutput {
  readonly verdict: Verdict;
  readonly decision: Decision;
  /** The next status. When it deep-equals `persisted`, nothing is written. */
  readonly next: FailoverStatus;
  readonly memory: FailoverMemory;
  readonly events: readonly EventSpec[];
  readonly explain: Explain;
}
