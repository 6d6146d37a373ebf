/** One request as it leaves the process. It is already rendered and may hold secret values: never log it. */
export interface OutboundRequest {
  readonly method: string;
  /** Absolute URL. The dialer parses it once and uses only the parsed form. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
}

/** Memory for the bytes of a large answer. When a dial has ended, its caller gives all of it back. */
export interface ResponseMemory {
  /** Asks for the memory of an answer before it is read. @returns false: there is no room now, or others wait for it */
  readonly hold: (bytes: number) => boolean;
  /** Asks for more memory while an answer arrives. @returns false: there is no room */
  readonly grow: (bytes: number) => boolean;
  /**
   * Waits for memory after `hold` gave none.
   * @param granted called once, with the memory
   * @returns ends the wait
   */
  readonly wait: (bytes: number, granted: () => void) => () => void;
  /** Gives all of it back. */
  readonly free: () => void;
}

/** Limits of one exchange. Values: security.md §3.4, failover.md §12.1. */
export interface DialLimits {
  /** DNS, TCP and TLS together; 100–3000. */
  readonly connectTimeoutMs: number;
  /** Largest gap between body bytes; 50–30000. */
  readonly bodyIdleMs: number;
  /** Wire bytes and decoded bytes, each; ≤ 4 MiB. */
  readonly maxResponseBytes: number;
  /** Memory for large answers; absent: there is always room. Bytes up to 64 KiB are not asked for. */
  readonly memory?: ResponseMemory;
  /** Same-origin redirects to follow, 0–3 (security.md §3.5). */
  readonly followRedirects: number;
  /** Lets a 307 or 308 repeat a request that is not GET or HEAD. */
  readonly idempotent: boolean;
}

/**
 * Decides whether the secrets in this request may go to `url` (S1), and whether policies allow its host (policy.md §3.3);
 * called for the first URL and for every hop.
 * @returns the reason of a refusal, or null
 */
export type UrlGuard = (url: URL) => 'secret-host-not-allowed' | 'policy-host-not-allowed' | null;

/** Why no answer came. `blocked` codes mean that our own rules refused. */
export type DialFailure =
  | { readonly kind: 'blocked'; readonly code: BlockedCode }
  | {
      readonly kind: 'transport';
      readonly code: 'dns' | 'connect' | 'tls' | 'reset' | 'truncated' | 'protocol';
      /** What is known beyond the code; absent: nothing. */
      readonly fault?: TransportFault;
    }
  | {
      readonly kind: 'response';
      readonly code: 'response-too-large' | 'unsupported-encoding' | 'undecodable' | 'headers-too-large';
    }
  | { readonly kind: 'timeout'; readonly code: 'connect-timeout' | 'body-idle' | 'deadline' }
  | { readonly kind: 'cancelled'; readonly code: 'cancelled' }
  /** This process, or its machine, had no descriptor, memory or time left: the provider has no part in it. */
  | { readonly kind: 'exhausted'; readonly code: 'platform-exhausted' };

/** A fault of DNS, TCP or TLS that a person can act on. */
export type TransportFault =
  /** No name server answered; without it the name does not exist. */
  | { readonly kind: 'no-lookup' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'untrusted' }
  | { readonly kind: 'wrong-name' }
  | { readonly kind: 'not-yet-valid' }
  /** @property at end of the validity, ms since epoch; null: not known */
  | { readonly kind: 'expired'; readonly at: number | null }
  /** The port answers in something that is not TLS. */
  | { readonly kind: 'not-tls' };

export type BlockedCode =
  | 'egress-denied-url'
  | 'egress-denied-scheme'
  | 'egress-denied-port'
  | 'egress-denied-literal'
  | 'egress-denied-address'
  | 'egress-denied-peer'
  | 'redirect-refused'
  | 'secret-host-not-allowed'
  | 'policy-host-not-allowed';

export type DialResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** In wire order, names in lower case, repeated names kept. */
      readonly headers: readonly (readonly [name: string, value: string])[];
      /** The complete body, decoded. */
      readonly body: Uint8Array;
      readonly ms: number;
      /** The exchange went to an origin of `--egress-allow` or `--egress-stub`. */
      readonly exception: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly failure: DialFailure;
      /** True once request headers may have reached the provider (failover.md §12.2). */
      readonly sent: boolean;
      /** Status of an answer whose body failed later. */
      readonly status: number | null;
      readonly ms: number;
      readonly exception: boolean;
    };

/**
 * All requests to providers go through it (security.md §3). `dial` never throws for a fault of a provider or the
 * network; it must end within 200 ms after `signal` aborts. An abort whose `reason` is a `DOMException` named
 * `TimeoutError` is reported as `deadline`, any other as `cancelled`. Calls may run concurrently.
 */
export interface Dialer {
  readonly dial: (
    request: OutboundRequest,
    limits: DialLimits,
    guard: UrlGuard,
    signal: AbortSignal,
  ) => Promise<DialResult>;
  /** Breaks every open connection and refuses dials, as `cancelled`, until `resume` (kill switch, security.md S30). */
  readonly halt: () => Promise<void>;
  /** Allows dials again, over new connections. Without an earlier `halt` it has no effect. */
  readonly resume: () => void;
  /** Breaks every open connection and refuses new dials permanently. */
  readonly destroy: () => Promise<void>;
}

/** An allow rule or a stub that the operator of the installation set (security.md §3.1). */
export type AllowRule =
  | { readonly kind: 'allow'; readonly origin: string }
  | { readonly kind: 'stub'; readonly origin: string; readonly address: string; readonly port: number };
