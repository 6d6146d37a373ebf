import type { Redactor } from '../redaction/redactor.ts';

/** One vault entry: a secret value with the hosts that it may be sent to. */
export interface VaultEntry {
  readonly name: string;
  /** UTF-8 without the one trailing newline (security.md §4.1). A vault that is replaced leaves it to the garbage collector. */
  readonly value: Uint8Array;
  /** Exact host names, `*.suffix`, or `*`; lower case, no trailing dot. */
  readonly allowedHosts: readonly string[];
}

/** Tenant container as runs see it. Limits are those of its own document: absent = none (design.md §2). */
export interface CompiledOrbiset {
  readonly namespace: string;
  readonly name: string;
  readonly suspended: boolean;
  readonly vault: ReadonlyMap<string, VaultEntry>;
  /** Orbs of other namespaces that may run here: `org.name` or `org.name@version`. */
  readonly orbs: readonly string[];
  readonly limits: {
    readonly inFlight?: number;
    readonly timeoutMs?: number;
    readonly requestBytes?: number;
  };
  /** Knows every value of this vault. */
  readonly redactor: Redactor;
}
