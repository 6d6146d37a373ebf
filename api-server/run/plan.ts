import type { IdempotencyClaim } from '../../adapters/ledger/port.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { Share } from '../../core/fair-share/share.ts';
import type { EligibleProviders } from '../../core/run/eligibility.ts';
import type { RunPolicy } from './run-policy.ts';

/** The objects and values that a request names. */
export interface ResolvedRun {
  readonly orbiset: CompiledOrbiset;
  readonly orb: CompiledOrb;
  readonly inputs: JsonObject;
}

/** A run that may start: all lookups, checks and rendering are done. Immutable; it holds snapshots, not live state. */
export interface RunPlan extends ResolvedRun {
  readonly runId: string;
  readonly requestId: string;
  readonly traceparent: string;
  /** In the order of the attempts. */
  readonly eligible: EligibleProviders;
  /** Undefined: an Orb with `access: anonymous`, called without a key. */
  readonly caller: Caller | undefined;
  /** Of the whole run. */
  readonly timeoutMs: number;
  /** Whose limit `timeoutMs` is when it is shorter than those of the Orb and of the installation; else undefined. */
  readonly shortenedBy: 'orbiset' | 'policy' | undefined;
  readonly claim: IdempotencyClaim | undefined;
  /** Undefined: no policy meets the run. */
  readonly policy: RunPolicy | undefined;
  /** Standalone only: show the redacted provider answer. */
  readonly debug: boolean;
}

/** Whose work a run is: the tenant is the one of its Orbiset. */
export const shareOf = ({ orbiset, caller }: Pick<RunPlan, 'orbiset' | 'caller'>): Share => ({
  tenant: orbiset.namespace,
  key: caller?.id ?? 'anonymous',
});
