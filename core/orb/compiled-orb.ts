import type { Manifest } from '../../crds/manifest.ts';
import type { RepeatPolicy, RetryRules } from '../attempts/repeat.ts';
import type { FailoverPin, FailoverStatus } from '../failover/types.ts';
import type { Digest } from '../json/digest.ts';
import type { JsonObject, JsonValue } from '../json/json-value.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import type { OrbId } from '../manifest/orb-id.ts';
import type { Effect } from '../ontology/ontology.ts';
import type { CompiledRequest } from '../template/compiled-request.ts';

/** Type names of inputs and outputs (design.md §2). */
export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

export interface CompiledOutput {
  readonly name: string;
  readonly type: ValueType;
  /** Parsed JSON Pointer into `{status, headers, body}`; absent: the search order of design.md §2. */
  readonly from: readonly string[] | undefined;
}

/** When the answer to a probe counts as good. */
export interface ProbeExpectation {
  /** Absent: any 2xx. */
  readonly statuses: ReadonlySet<number> | undefined;
  /** Parsed JSON Pointer into the body; absent: the body does not matter. */
  readonly pointer: readonly string[] | undefined;
  /** RFC 8785 text of the expected value; absent: any value. */
  readonly equals: string | undefined;
}

/** A request that shows the health of a provider, without an effect (failover.md §7). */
export interface CompiledProbe {
  readonly request: CompiledRequest;
  /** The outputs of a run when the probe sends the run's own request; otherwise empty. */
  readonly outputs: readonly CompiledOutput[];
  readonly expect: ProbeExpectation;
}

/** One way to call a provider, with every default of failover.md §12.1 and §12.2 filled in. */
export interface CompiledProvider {
  readonly name: string;
  readonly request: CompiledRequest;
  readonly outputs: readonly CompiledOutput[];
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number | undefined;
  readonly bodyIdleMs: number;
  readonly idempotent: boolean;
  readonly idempotencyHeader: string | undefined;
  readonly retry: RetryRules;
  /** Where its request may be sent again. */
  readonly repeats: RepeatPolicy;
  readonly followRedirects: number;
  readonly exposeErrorBody: boolean;
  readonly maxResponseBytes: number | undefined;
  /** Absent when a probe could have an effect. */
  readonly probe: CompiledProbe | undefined;
}

/** A valid manifest generation, compiled once. It holds everything that a run needs, already parsed. */
export interface CompiledOrb {
  readonly namespace: string;
  readonly orbId: OrbId;
  /** Key of the slots that its runs share, whatever the provider (security.md S6). */
  readonly slotKey: string;
  readonly manifest: Manifest;
  readonly digest: Digest;
  /** RFC 8785 text of the manifest; `digest` is computed over it. */
  readonly jcs: string;
  /** The effective effect (trust.md §8.2): never absent, and not part of the digest. */
  readonly effect: Effect;
  readonly anonymous: boolean;
  readonly sloMs: number;
  readonly hasInputs: boolean;
  readonly hasOutputs: boolean;
  /** Checks a caller's inputs; pointers start with `/inputs`. Defaults are filled in later, by the template. */
  readonly checkInputs: (inputs: JsonValue) => Checked<JsonObject>;
  /** Every provider that has an execution, by name. */
  readonly providers: ReadonlyMap<string, CompiledProvider>;
  /**
   * Resolved names that may be chosen without a pin, in order: primary, then fallbacks. Without these, the manifest's
   * own provider.
   */
  readonly order: readonly string[];
  /** Labels of the object; like the pin, they are not part of the manifest and its digest. */
  readonly labels: Readonly<Record<string, string>>;
  readonly pin: FailoverPin | undefined;
  /** Failover status as the operator wrote it; undefined when it has written none yet. */
  readonly failover: FailoverStatus | undefined;
  readonly findings: readonly Finding[];
}
