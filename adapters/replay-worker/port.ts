import type { OrbPolicySpec } from '../../crds/orbpolicy.ts';
import type { OrbisetPolicies } from '../../core/manifest/policies.ts';
import type { EffectiveMode, MissingPolicy } from '../../core/policy/decision/policy-set.ts';
import type { ReplayTotals } from '../../core/policy/simulation/gate.ts';
import type { ReplaySample } from '../../core/policy/simulation/replay-sample.ts';
import type { ReplaySummary } from '../../core/policy/simulation/replay-tally.ts';
import type { Baseline, Stateful } from '../../core/policy/simulation/replay-walk.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';

/** A set of policies on its way to a thread, which compiles it. */
export interface PolicySources {
  readonly policies: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly spec: OrbPolicySpec;
    readonly mode: EffectiveMode;
  }[];
  readonly missing: readonly MissingPolicy[];
}

/** What is replayed, over which receipts (policy.md §6). Plain data. */
export interface ReplayJob {
  readonly tenant: string;
  /** Receipts issued from this time on, ms since epoch. */
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
  readonly filter: {
    /** Ids or patterns with `*`; empty: every Orb. */
    readonly orbIds: readonly string[];
    /** `namespace.name`; empty: every Orbiset. A run without a stored decision is never left out. */
    readonly orbisets: readonly string[];
  };
  readonly sample: ReplaySample;
  readonly baseline: Baseline;
  readonly stateful: Stateful;
  /** The policies in force with the replayed one in place of the one of its name. */
  readonly candidate: PolicySources;
  readonly current: PolicySources;
  /** What the Orbisets of the tenant say now, by `namespace.name`. */
  readonly orbisets: Readonly<Record<string, OrbisetPolicies>>;
  /** With which receipts are verified. */
  readonly keys: KeysDocument;
  /** When the replay began, ms since epoch. */
  readonly now: number;
}

/** How far a replay is, with the sums of everything so far. */
export interface ReplayProgress {
  readonly isDone: boolean;
  /** JSON texts of the changes that were found since the last progress; at most 10 000 in a replay. */
  readonly changes: readonly string[];
  /** Changes that were found and not kept. */
  readonly changesLeftOut: number;
  readonly summary: ReplaySummary;
  readonly totals: Pick<ReplayTotals, 'evaluated' | 'indeterminate' | 'newDenies'>;
  /** Receipts whose digests were checked, and those whose signature was. */
  readonly verified: { readonly receipts: number; readonly signatures: number };
  /** Receipts or facts that are not what was signed. */
  readonly mismatches: number;
}

/** Why a replay ended early. */
export type ReplayFailure = 'worker_timeout' | 'worker_out_of_memory' | 'worker_failed' | 'ledger_unavailable';

export class ReplayError extends Error {
  readonly code: ReplayFailure;
  constructor(code: ReplayFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReplayError';
    this.code = code;
  }
}
