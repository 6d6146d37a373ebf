import type { OrbisetPolicies } from '../manifest/policies.ts';
import type { Redactor } from '../redaction/redactor.ts';

/** One vault entry: a secret value and the hosts that it may be sent to. */
export interface VaultEntry {
  readonly name: string;
  /**
   * UTF-8 without one trailing newline (security.md §4.1). When a vault is replaced, the garbage collector frees the
   * old value.
   */
  readonly value: Uint8Array;
  /** Exact host names, `*.suffix`, or `*`; lower case, no trailing dot. */
  readonly allowedHosts: readonly string[];
}

/** A tenant's container as runs see it. The limits come from its own document; absent: unlimited (design.md §2). */
export interface CompiledOrbiset {
  readonly namespace: string;
  readonly name: string;
  /** `namespace.name`. */
  readonly fullName: string;
  readonly suspended: boolean;
  /** What it says about policies; the strictest when that can't be read. */
  readonly policies: OrbisetPolicies;
  /** What it says about policies can't be read, so no run of it may start. */
  readonly hasUnreadablePolicies: boolean;
  /** Labels of the object. */
  readonly labels: Readonly<Record<string, string>>;
  readonly vault: ReadonlyMap<string, VaultEntry>;
  /** Orbs of other namespaces that may run here: `org.name` or `org.name@version`. */
  readonly orbs: readonly string[];
  readonly limits: {
    /** Runs per second, above 0; may be a fraction. */
    readonly ratePerSecond?: number;
    readonly inFlight?: number;
    readonly timeoutMs?: number;
    readonly requestBytes?: number;
  };
  /** Redacts every value of this vault. */
  readonly redactor: Redactor;
}
