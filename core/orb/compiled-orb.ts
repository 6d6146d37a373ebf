import type { Manifest } from '../../crds/manifest.ts';
import type { Digest } from '../json/digest.ts';
import type { JsonObject, JsonValue } from '../json/json-value.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import type { OrbId } from '../manifest/orb-id.ts';
import type { CompiledRequest } from '../template/compiled-request.ts';

/** Type names of inputs and outputs (design.md §2). */
export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

export interface CompiledOutput {
  readonly name: string;
  readonly type: ValueType;
  /** Parsed JSON Pointer into `{status, headers, body}`; absent: the search order of design.md §2. */
  readonly from: readonly string[] | undefined;
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
  readonly followRedirects: number;
  readonly exposeErrorBody: boolean;
  readonly maxResponseBytes: number | undefined;
}

/** A valid manifest generation, compiled once; everything that a run needs and nothing that it must parse again. */
export interface CompiledOrb {
  readonly namespace: string;
  readonly orbId: OrbId;
  readonly org: string;
  readonly manifest: Manifest;
  readonly digest: Digest;
  /** RFC 8785 text of the manifest, what `digest` is over. */
  readonly jcs: string;
  readonly irreversible: boolean;
  readonly anonymous: boolean;
  readonly sloMs: number;
  readonly hasInputs: boolean;
  readonly hasOutputs: boolean;
  /** Checks a caller's inputs; pointers start with `/inputs`. Defaults are not filled in here: the template holds them. */
  readonly checkInputs: (inputs: JsonValue) => Checked<JsonObject>;
  /** Every provider that has an execution, by name. */
  readonly providers: ReadonlyMap<string, CompiledProvider>;
  /** Resolved names that may be chosen without a pin, in order: primary, fallbacks; the manifest's own when neither is there. */
  readonly order: readonly string[];
  readonly pin: { readonly provider: string; readonly expiresAt: number } | undefined;
  readonly findings: readonly Finding[];
}
