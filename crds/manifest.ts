// generated from schemas/manifest.schema.json by hack/generate.ts: do not edit

/**
 * JSON type of a value; string when absent.
 */
export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
/**
 * A letter or "_", then up to 63 letters, digits or "_": what {{inputs.NAME}} can name.
 */
export type InputName = string;
/**
 * A letter or "_", then up to 63 letters, digits, "_", "." or "-".
 */
export type OutputName = string;

/**
 * An Orb: which HTTP provider to call, with which inputs, outputs and secrets. Members are taken as they are written: nothing is filled in, null stands nowhere.
 */
export interface Manifest {
  /**
   * Unique identifier: {org}.{name}@{semver}, for example acme.send-email@1.0.0.
   */
  readonly orb_id: string;
  /**
   * Name of the external provider that execution calls. A letter or digit, then up to 62 letters, digits, ".", "_" or "-".
   */
  readonly provider: string;
  /**
   * Human-readable summary; lists show 200 characters.
   */
  readonly description?: string;
  /**
   * What the Orb does, in terms of the Orb ontology.
   *
   * @maxItems 8
   *
   * Items: Term of the Orb ontology, or a private one: x-<org>.<term>.
   */
  readonly capabilities?: readonly string[];
  /**
   * What an execution leaves behind. An irreversible one, such as a sent message, is never repeated on a guess.
   */
  readonly effect?: 'none' | 'reversible' | 'irreversible';
  /**
   * Who may execute it where no cluster is: key (default) or anonymous. On a cluster a key is always needed.
   */
  readonly access?: 'key' | 'anonymous';
  /**
   * Map from input name to its definition; a request may hold these and no others.
   */
  readonly inputs: {
    readonly [k: string]: InputDefinition;
  };
  /**
   * Map from output name to its definition.
   */
  readonly outputs: {
    readonly [k: string]: OutputDefinition;
  };
  readonly execution: Execution;
  readonly swap_config?: SwapConfig;
  /**
   * How the other providers of swap_config are called, by name.
   */
  readonly providers?: {
    readonly [k: string]: ProviderDefinition;
  };
}
/**
 * One input of the Orb.
 */
export interface InputDefinition {
  readonly type?: ValueType;
  /**
   * Whether the caller must supply it; false when absent.
   */
  readonly required?: boolean;
  /**
   * Value when the caller gives none; of the declared type. A string may contain secret placeholders.
   */
  readonly default?: unknown;
  /**
   * Term of the Orb ontology, or a private one: x-<org>.<term>.
   */
  readonly term?: string;
}
/**
 * One output of the Orb.
 */
export interface OutputDefinition {
  readonly type?: ValueType;
  /**
   * JSON Pointer into {status, headers, body} of the answer: the value must then be there, of the declared type. Absent: /body/NAME, else a response header, else null.
   */
  readonly from?: string;
  /**
   * Term of the Orb ontology, or a private one: x-<org>.<term>.
   */
  readonly term?: string;
}
/**
 * How a provider is called over HTTP.
 */
export interface Execution {
  /**
   * Only http; also when absent.
   */
  readonly type?: 'http';
  /**
   * HTTP method used toward the provider. Absent: POST with a body_template, else GET.
   */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /**
   * Provider URL: https, a public host, at most 8192 characters. Inputs may stand in path segments and query values, secrets also as whole labels of the host.
   */
  readonly url: string;
  /**
   * Request headers: names are literal, values may contain placeholders.
   */
  readonly headers?: {
    readonly [k: string]: string;
  };
  /**
   * Request body with placeholders, at most 262144 characters. The media type is the literal content-type header; without one JSON if the template is JSON, else text.
   */
  readonly body_template?: string;
  /**
   * Whole run in milliseconds, from DNS to the last byte, all attempts and waits; 30000 when absent.
   */
  readonly timeout_ms?: number;
  /**
   * DNS, TCP and TLS of one attempt, in milliseconds; 1000 when absent.
   */
  readonly connect_timeout_ms?: number;
  /**
   * One attempt, in milliseconds. Absent: half of timeout_ms where another provider may follow, else what is left.
   */
  readonly attempt_timeout_ms?: number;
  /**
   * Longest gap between bytes of the answer, in milliseconds; 5000 when absent.
   */
  readonly body_idle_ms?: number;
  /**
   * True when the same request may be sent twice, also to two providers; false when absent.
   */
  readonly idempotent?: boolean;
  /**
   * Header in which the provider takes an idempotency key; the key of a run never changes.
   */
  readonly idempotency_header?: string;
  readonly retry?: Retry;
  /**
   * A run that is faster meets the objective of the Orb, in milliseconds; 5000 when absent.
   */
  readonly slo_ms?: number;
  /**
   * Redirects within the same origin that are followed; 0 when absent: a redirect is the answer.
   */
  readonly follow_redirects?: number;
  /**
   * Whether callers see the redacted body of a provider's error, at most 4 KiB; false when absent.
   */
  readonly expose_error_body?: boolean;
  readonly probe?: Probe;
  /**
   * Largest answer in bytes, on the wire and decoded; only lowers the limit of the platform.
   */
  readonly max_response_bytes?: number;
}
/**
 * When and how often an attempt is repeated within one run.
 */
export interface Retry {
  /**
   * Attempts at all providers together; 3 when absent.
   */
  readonly max_attempts?: number;
  /**
   * Statuses after which an attempt may be repeated; 408, 425, 429, 500, 502, 503, 504 when absent.
   *
   * @maxItems 32
   *
   * Items: HTTP status.
   */
  readonly on_status?: readonly number[];
  /**
   * Statuses that say that the provider did nothing; 429 when absent, an empty list switches it off.
   *
   * @maxItems 32
   *
   * Items: HTTP status.
   */
  readonly not_executed_status?: readonly number[];
}
/**
 * A request that shows how the provider is, without an effect. Each member that is absent is that of the execution.
 */
export interface Probe {
  /**
   * HTTP method used toward the provider. Absent: POST with a body_template, else GET.
   */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /**
   * Provider URL: https, a public host, at most 8192 characters. Inputs may stand in path segments and query values, secrets also as whole labels of the host.
   */
  readonly url?: string;
  /**
   * Request headers: names are literal, values may contain placeholders.
   */
  readonly headers?: {
    readonly [k: string]: string;
  };
  /**
   * Request body with placeholders, at most 262144 characters. The media type is the literal content-type header; without one JSON if the template is JSON, else text.
   */
  readonly body_template?: string;
  readonly expect?: ProbeExpect;
}
/**
 * When the answer to a probe counts as good.
 */
export interface ProbeExpect {
  /**
   * Good statuses; any 2xx when absent.
   *
   * @minItems 1
   * @maxItems 16
   *
   * Items: HTTP status.
   */
  readonly status?: readonly number[];
  /**
   * JSON Pointer into the body of the answer.
   */
  readonly pointer?: string;
  /**
   * The expected value at the pointer.
   */
  readonly equals?: unknown;
}
/**
 * Hot-swap configuration: which providers there are, and when another one is used.
 */
export interface SwapConfig {
  /**
   * Preferred provider; the provider of the manifest when absent. A letter or digit, then up to 62 letters, digits, ".", "_" or "-".
   */
  readonly primary?: string;
  /**
   * Other providers in order, each once, without the primary.
   *
   * @maxItems 8
   *
   * Items: Name of a provider. A letter or digit, then up to 62 letters, digits, ".", "_" or "-".
   */
  readonly fallbacks?: readonly string[];
  /**
   * How the provider is chosen: by measured latency, or by priority, the order of the names (when absent).
   */
  readonly strategy?: 'latency' | 'priority';
  readonly latency?: SwapLatency;
  readonly hard_failure?: SwapHardFailure;
  readonly dwell?: SwapDwell;
  readonly failback?: SwapFailback;
  readonly probe?: SwapProbe;
}
/**
 * When a provider counts as slow.
 */
export interface SwapLatency {
  /**
   * Quantile of the active provider; 0.95 when absent.
   */
  readonly quantile?: 0.5 | 0.9 | 0.95 | 0.99;
  /**
   * Absolute limit in milliseconds; replaces degrade_ratio and min_abs_ms.
   */
  readonly threshold_ms?: number;
  /**
   * Slow above baseline times this; 2 when absent.
   */
  readonly degrade_ratio?: number;
  /**
   * Nothing is slow below this many milliseconds; 500 when absent.
   */
  readonly min_abs_ms?: number;
  /**
   * A candidate must be faster by this share; 0.2 when absent.
   */
  readonly min_improvement?: number;
  /**
   * Windows in ascending order; all three when absent.
   *
   * @minItems 1
   * @maxItems 3
   */
  readonly windows?: readonly ('2m' | '5m' | '10m')[];
  /**
   * Samples that a window needs; 20 when absent, 10 for an Orb with little traffic.
   */
  readonly min_samples?: number;
  /**
   * Samples from which the baseline is known; 50 when absent.
   */
  readonly base_min_samples?: number;
  /**
   * Slow evaluations in a row; 3 when absent.
   */
  readonly consecutive?: number;
  /**
   * Time between evaluations, 15s to 5m; 15s when absent. A whole number and a unit: ms, s, m or h.
   */
  readonly evaluation_interval?: string;
}
/**
 * When a provider counts as broken.
 */
export interface SwapHardFailure {
  /**
   * Share of bad attempts; 0.5 when absent.
   */
  readonly error_ratio?: number;
  /**
   * Attempts that a window needs; 10 when absent.
   */
  readonly min_requests?: number;
  /**
   * Bad attempts in a row, also for the breaker; 5 when absent.
   */
  readonly consecutive_failures?: number;
}
/**
 * How long decisions hold.
 */
export interface SwapDwell {
  /**
   * Before the primary is left again, 15s to 1h; 60s when absent. A whole number and a unit: ms, s, m or h.
   */
  readonly min?: string;
  /**
   * First hold of a provider that was left, 30s to 6h; 5m when absent. A whole number and a unit: ms, s, m or h.
   */
  readonly hold_down?: string;
  /**
   * Growth of the hold; 2 when absent.
   */
  readonly multiplier?: number;
  /**
   * Longest hold, hold_down to 24h; 30m when absent. A whole number and a unit: ms, s, m or h.
   */
  readonly max?: string;
  /**
   * Share of the hold that is random; 0.1 when absent.
   */
  readonly jitter?: number;
  /**
   * Automatic swaps in an hour; 6 when absent.
   */
  readonly max_swaps_per_hour?: number;
}
/**
 * How the primary comes back.
 */
export interface SwapFailback {
  /**
   * auto (default), or manual: only said, never done.
   */
  readonly mode?: 'auto' | 'manual';
  /**
   * Good evaluations in a row; 12 when absent.
   */
  readonly consecutive?: number;
  /**
   * At most this many times the p50 of the active provider; 1.25 when absent.
   */
  readonly max_ratio?: number;
  /**
   * Share of good probes over 5 minutes; 0.95 when absent.
   */
  readonly min_probe_ok?: number;
  /**
   * Probes over 5 minutes; 8 when absent.
   */
  readonly min_probe_samples?: number;
  /**
   * Percent of the traffic, step by step, ascending to 100; 10, 50, 100 when absent.
   *
   * @minItems 1
   * @maxItems 6
   *
   * Items: Percent.
   */
  readonly ramp?: readonly number[];
  /**
   * Length of one step, 15s to 1h; 60s when absent. A whole number and a unit: ms, s, m or h.
   */
  readonly ramp_step?: string;
}
/**
 * Whether and how standby providers are probed.
 */
export interface SwapProbe {
  /**
   * synthetic where every provider allows it (default there), else none.
   */
  readonly mode?: 'synthetic' | 'none';
  /**
   * Between probes of one provider, 5s to 1h; 30s when absent. A whole number and a unit: ms, s, m or h.
   */
  readonly interval?: string;
  /**
   * Share of the interval that is random; 0.2 when absent.
   */
  readonly jitter?: number;
  /**
   * Of one probe, 100ms to 30s; 5s when absent. A whole number and a unit: ms, s, m or h.
   */
  readonly timeout?: string;
  /**
   * Probes of one provider in an hour; 150 when absent.
   */
  readonly max_per_hour?: number;
  /**
   * Values for {{inputs.NAME}} in probes.
   */
  readonly inputs?: {
    /**
     * Any JSON value but null.
     */
    readonly [k: string]: unknown;
  };
  /**
   * Orbiset whose vault probes use; the only one of the namespace when absent.
   */
  readonly orbiset?: string;
}
/**
 * How one more provider is called.
 */
export interface ProviderDefinition {
  readonly execution: Execution;
  /**
   * Where this provider has the outputs of the Orb, by output name.
   */
  readonly outputs?: {
    readonly [k: string]: OutputDefinition;
  };
}
