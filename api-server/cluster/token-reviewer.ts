import { KINDS } from '../../adapters/kube/kinds.ts';
import type { AppliedObject, KubeClient } from '../../adapters/kube/port.ts';
import { sha256 } from '../../adapters/keys/primitives.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { encodeHex } from '../../core/json/hex.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { ReviewCache } from './review-cache.ts';

/** A ServiceAccount, as the API server knows it. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
  /** Groups that the TokenReview named; sorted. */
  readonly groups: readonly string[];
  /** User of the TokenReview, in the form that a SubjectAccessReview takes. */
  readonly user: JsonObject;
}

/** A right of one account that is checked. */
export interface Access {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string;
  readonly name?: string;
}

export interface TokenReviewerDeps {
  readonly client: Pick<KubeClient, 'create'>;
  readonly clock: Pick<Clock, 'monotonic' | 'now'>;
}

const AUDIENCE = 'orb-api';
/** The API server decides by its own clock. */
const SKEW_MS = 60_000;
const GROUP = 'orbs.dev';
// A caller waits for it, within the caller's own deadline.
const DEADLINE_MS = 5000;
/** Reviews in flight at once: a flood of invented tokens must not reach the API server … */
const IN_FLIGHT = 32;
/** … and must not take the places of tokens that were valid before. */
const IN_FLIGHT_KNOWN = 64;
const KNOWN = 4096;
const ACCOUNT = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/;

/** Too many reviews are in flight, or the API server gave no answer: the caller stays unknown. */
export class ReviewUnavailable extends Error {}

/** A limit on concurrent reviews. A review without a free place is refused. */
class Places {
  #free: number;

  constructor(free: number) {
    this.#free = free;
  }

  /** @throws ReviewUnavailable */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) throw new ReviewUnavailable('too many reviews are under way');
    this.#free -= 1;
    try {
      return await work();
    } finally {
      this.#free += 1;
    }
  }
}

function claimsOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** False when the token itself names another audience or has expired: then the API server is not asked. */
function isForThisApi(token: string, now: number): boolean {
  const claims = claimsOf(token);
  if (!isJsonObject(claims)) return false;
  const { aud, exp } = claims;
  const audiences = Array.isArray(aud) ? aud : [aud];
  return audiences.includes(AUDIENCE) && typeof exp === 'number' && exp * 1000 > now - SKEW_MS;
}

const statusIn = ({ status }: { readonly status?: unknown }): JsonObject => (isJsonObject(status) ? status : {});

const groupsOf = ({ groups }: JsonObject): readonly string[] =>
  Array.isArray(groups) ? groups.filter((group): group is string => typeof group === 'string').toSorted() : [];

/** Accepts only a token for our audience: the API server also reviews others, and reports the audience (KEP-1205). */
function accountOf(status: JsonObject): Account | 'unknown' {
  const { authenticated, audiences, user, error } = status;
  if (authenticated !== true || error !== undefined || !isJsonObject(user)) return 'unknown';
  if (!Array.isArray(audiences) || !audiences.includes(AUDIENCE)) return 'unknown';
  const [, namespace, name] = ACCOUNT.exec(typeof user['username'] === 'string' ? user['username'] : '') ?? [];
  if (namespace === undefined || name === undefined) return 'unknown';
  return { namespace, name, groups: groupsOf(user), user };
}

function specOf({ user }: Account, access: Access): JsonObject {
  const { username, uid, groups, extra } = user;
  return {
    ...(username === undefined ? {} : { user: username }),
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
    resourceAttributes: { group: GROUP, ...access },
  };
}

/**
 * Finds the owner of a token and the owner's rights by the Kubernetes API (security.md S12). The answers are kept by
 * the SHA-256 of the token: positive ones for at most 10 s, negative ones for 1 s.
 */
export class TokenReviewer {
  readonly #deps: TokenReviewerDeps;
  readonly #accounts: ReviewCache<Account | 'unknown'>;
  readonly #accesses: ReviewCache<'allowed' | 'denied'>;
  readonly #places = { unknown: new Places(IN_FLIGHT), known: new Places(IN_FLIGHT_KNOWN) };
  /** Digests of tokens that were valid; the oldest are dropped first. */
  readonly #known = new Set<string>();

  constructor(deps: TokenReviewerDeps) {
    this.#deps = deps;
    this.#accounts = new ReviewCache({ clock: deps.clock, isPositive: (answer) => answer !== 'unknown' });
    this.#accesses = new ReviewCache({ clock: deps.clock, isPositive: (answer) => answer === 'allowed' });
  }

  /** Replaces a token in keys of caches, which never hold the token. */
  readonly digest = (token: string): string => encodeHex(sha256(encodeUtf8(token)));

  /** @throws ReviewUnavailable */
  async account(token: string): Promise<Account | 'unknown'> {
    if (!isForThisApi(token, this.#deps.clock.now())) return 'unknown';
    const digest = this.digest(token);
    return this.#accounts.get(digest, async () => {
      const places = this.#known.has(digest) ? this.#places.known : this.#places.unknown;
      const spec = { token, audiences: [AUDIENCE] };
      const object = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec };
      const account = accountOf(await this.#review('tokenReview', object, places));
      if (account === 'unknown') this.#known.delete(digest);
      else this.#remember(digest);
      return account;
    });
  }

  /** Whether the last review of the token said that it is valid. */
  isKnown(token: string): boolean {
    return this.#known.has(this.digest(token));
  }

  #remember(digest: string): void {
    this.#known.delete(digest);
    this.#known.add(digest);
    const [oldest] = this.#known;
    if (this.#known.size > KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  /** @throws ReviewUnavailable */
  access(tokenDigest: string, account: Account, access: Access): Promise<'allowed' | 'denied'> {
    return this.#accesses.get(this.#accessKey(tokenDigest, access), async () => {
      const object = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: specOf(account, access),
      };
      const { allowed, denied } = await this.#review('subjectAccessReview', object, this.#places.known);
      return allowed === true && denied !== true ? 'allowed' : 'denied';
    });
  }

  /** Whether the last review allowed it; undefined when that review is too old. */
  lastAccess(tokenDigest: string, access: Access): 'allowed' | 'denied' | undefined {
    return this.#accesses.peek(this.#accessKey(tokenDigest, access));
  }

  #accessKey(tokenDigest: string, { verb, resource, subresource = '', namespace, name = '' }: Access): string {
    return [tokenDigest, verb, resource, subresource, namespace, name].join(' ');
  }

  #review(kind: 'tokenReview' | 'subjectAccessReview', object: AppliedObject, places: Places): Promise<JsonObject> {
    return places.use(async () => {
      try {
        return statusIn(await this.#deps.client.create(KINDS[kind], object, AbortSignal.timeout(DEADLINE_MS)));
      } catch (error) {
        throw new ReviewUnavailable(`a ${object.kind} was not answered`, { cause: error });
      }
    });
  }
}
