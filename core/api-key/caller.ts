import type { RateLimit } from '../rate-limit/rate.ts';
import type { Scope } from './scopes.ts';

/** The sender of a request, as authentication found it. */
export interface Caller {
  /** `key:<keyid>` or `sa:<namespace>/<name>`. */
  readonly id: string;
  /** Namespaces that the key acts for; `*` = all. */
  readonly tenants: readonly string[] | '*';
  readonly scopes: ReadonlySet<Scope>;
  /** Of a ServiceAccount: it may act for the platform. Of a key, scopes and tenants say so. */
  readonly isPlatformAdmin?: true;
  /**
   * Of a ServiceAccount, whose `scopes` name the one of the route alone: whether it has a further one in the tenant.
   * Absent: `scopes` say all. `unknown`: nobody can tell at present.
   */
  readonly mayAlso?: (scope: Scope) => Promise<'yes' | 'no' | 'unknown'>;
  /** Of a ServiceAccount: groups that its TokenReview named; sorted. A key has none. */
  readonly groups?: readonly string[];
  /** Orbs that the key may execute (`org.name` or `org.name@version`); absent = all. */
  readonly orbs: readonly string[] | undefined;
  /** Requests that the key may send, in place of the rate that all keys have; absent: that one. */
  readonly rate?: RateLimit;
  /** Ms since epoch. */
  readonly expiresAt: number;
  /** Called again when a run ends, for the check `caller_auth` of the receipt. */
  readonly standing: () => 'valid' | 'revoked-or-expired' | 'unknown';
}
