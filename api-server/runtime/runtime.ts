import type { AnswerReader } from '../../adapters/answer-worker/port.ts';
import type { Catalog } from '../../adapters/catalog/port.ts';
import type { Dialer } from '../../adapters/egress/port.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Sha256 } from '../../core/json/digest.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { PolicySet } from '../../core/policy/decision/policy-set.ts';
import type { AwaitedPlaces } from '../../core/fair-share/awaited-places.ts';
import type { PublishedVersions } from '../../core/run/published.ts';
import type { LoopTurns } from '../http/loop-turns.ts';
import type { CallerTags } from './caller-tags.ts';
import type { OrbFailovers } from './failover/orb-failovers.ts';
import type { WarningLimiter } from './warning-limiter.ts';
import type { KillSwitches } from './kill-switches.ts';
import type { PolicyState } from './policy-state.ts';
import type { RunMetrics } from './run-metrics.ts';
import type { RunRates } from './run-rates.ts';
import type { RunsInFlight } from './runs-in-flight.ts';
import type { SelfCheck } from '../self-check/self-check.ts';
import type { Slots } from './slots.ts';

/** Settings of the execute path; each has a default in `standalone` and in the chart. */
export interface RuntimeSettings {
  /** Namespace of shared Orbs (design.md §2): `orb-system`. */
  readonly platformNamespace: string;
  /** Origins that may get secrets without TLS: loopback ones of `--egress-allow`. */
  readonly cleartextOrigins: ReadonlySet<string>;
  /** Standalone: Orbs with `access: anonymous` need no key, and `?debug=true` shows redacted provider answers. */
  readonly standalone: boolean;
  /** Instance name in `runs.owner`. */
  readonly owner: string;
  readonly userAgent: string;
  /** Largest total deadline of a run, ms. */
  readonly maxTimeoutMs: number;
  /** Largest answer of a provider, bytes, wire and decoded each. */
  readonly maxResponseBytes: number;
  /** The command that adds a missing vault entry. */
  readonly secretHint: (
    orbiset: { readonly namespace: string; readonly name: string },
    entry: string,
    host: string,
  ) => string;
  /** How long decisions with the facts of their runs, and replays, are kept. */
  readonly policyRetention: { readonly decisionsMs: number; readonly replaysMs: number };
  /** Bytes of the ledger at which new runs of a tenant are refused; 0: no limit. */
  readonly ledgerQuotaBytes: number;
  /** Threads that replay policies at a time, ≥ 1. */
  readonly policyReplayThreads: number;
}

/** Parts that all runs share. The composition root builds them once; parts with state own it. */
export interface Runtime {
  readonly catalog: Catalog;
  readonly ledger: Ledger;
  readonly dialer: Dialer;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly sha256: Sha256;
  readonly sealing: SealTools;
  readonly issuer: string;
  readonly logger: Logger;
  readonly metrics: RunMetrics;
  readonly settings: RuntimeSettings;
  readonly tags: CallerTags;
  readonly selfCheck: SelfCheck;
  /** Reads large answers of providers. */
  readonly answers: AnswerReader;
  readonly slots: Slots;
  /** Bytes of large answers of providers that may be held at a time. */
  readonly answerBytes: AwaitedPlaces;
  /** Of the event loop; the HTTP side has the same. */
  readonly turns: LoopTurns;
  readonly inFlight: RunsInFlight;
  readonly rates: RunRates;
  readonly switches: KillSwitches;
  readonly failover: OrbFailovers;
  readonly published: PublishedVersions;
  /** The policies that meet the runs of a namespace; undefined: it has none but disabled ones. */
  readonly policies: { readonly of: (namespace: string) => PolicySet | undefined };
  readonly policyState: PolicyState;
  /** Limiter of the warnings that a provider echoes secrets. */
  readonly echoWarnings: WarningLimiter;
}
