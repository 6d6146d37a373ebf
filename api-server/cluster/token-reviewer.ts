import { KINDS } from '../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../adapters/kube/port.ts';
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
  /** Of the TokenReview, as a SubjectAccessReview takes it. */
  readonly user: JsonObject;
}

/** What is asked of one account. */
export interface Access {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string;
  readonly name?: string;
}

export interface TokenReviewerDeps {
  readonly client: Pick<KubeClient, 'create'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

const AUDIENCE = 'orb-api';
const GROUP = 'orbs.dev';
// A caller waits for it, inside the deadline that it has itself.
const DEADLINE_MS = 5000;
/** Reviews that are under way at once: a flood of invented tokens must not become one of the API server. */
const IN_FLIGHT = 32;
const ACCOUNT = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/;

/** Too many reviews are under way, or none was answered: nobody can say who this is. */
export class ReviewUnavailable extends Error {}

const statusIn = ({ status }: { readonly status?: unknown }): JsonObject => (isJsonObject(status) ? status : {});

/** Only a token that was made for us: the API server answers for others too, and says for which (KEP-1205). */
function accountOf(status: JsonObject): Account | 'nobody' {
  const { authenticated, audiences, user, error } = status;
  if (authenticated !== true || error !== undefined || !isJsonObject(user)) return 'nobody';
  if (!Array.isArray(audiences) || !audiences.includes(AUDIENCE)) return 'nobody';
  const [, namespace, name] = ACCOUNT.exec(typeof user['username'] === 'string' ? user['username'] : '') ?? [];
  if (namespace === undefined || name === undefined) return 'nobody';
  return { namespace, name, user };
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
 * Asks the Kubernetes API whose a token is and what its owner may do (security.md S12). Answers are kept, by the SHA-256 of
 * the token, for at most 10 s when they are good and 1 s when not.
 */
export class TokenReviewer {
  readonly #deps: TokenReviewerDeps;
  readonly #accounts: ReviewCache<Account | 'nobody'>;
  readonly #accesses: ReviewCache<'allowed' | 'denied'>;
  #inFlight = 0;

  constructor(deps: TokenReviewerDeps) {
    this.#deps = deps;
    this.#accounts = new ReviewCache({ clock: deps.clock, isPositive: (answer) => answer !== 'nobody' });
    this.#accesses = new ReviewCache({ clock: deps.clock, isPositive: (answer) => answer === 'allowed' });
  }

  /** What stands for a token in keys of caches: never the token. */
  readonly digest = (token: string): string => encodeHex(sha256(encodeUtf8(token)));

  /** @throws ReviewUnavailable */
  account(token: string): Promise<Account | 'nobody'> {
    return this.#accounts.get(this.digest(token), async () => {
      const spec = { token, audiences: [AUDIENCE] };
      return accountOf(await this.#review('tokenReview', 'authentication.k8s.io/v1', 'TokenReview', spec));
    });
  }

  /** @throws ReviewUnavailable */
  access(tokenDigest: string, account: Account, access: Access): Promise<'allowed' | 'denied'> {
    return this.#accesses.get(this.#accessKey(tokenDigest, access), async () => {
      const { allowed, denied } = await this.#review(
        'subjectAccessReview',
        'authorization.k8s.io/v1',
        'SubjectAccessReview',
        specOf(account, access),
      );
      return allowed === true && denied !== true ? 'allowed' : 'denied';
    });
  }

  /** Whether it was allowed at the last look, if that is not too long ago. */
  lastAccess(tokenDigest: string, access: Access): 'allowed' | 'denied' | undefined {
    return this.#accesses.peek(this.#accessKey(tokenDigest, access));
  }

  #accessKey(tokenDigest: string, { verb, resource, subresource = '', namespace, name = '' }: Access): string {
    return [tokenDigest, verb, resource, subresource, namespace, name].join(' ');
  }

  async #review(
    kind: 'tokenReview' | 'subjectAccessReview',
    apiVersion: string,
    name: string,
    spec: JsonObject,
  ): Promise<JsonObject> {
    if (this.#inFlight >= IN_FLIGHT) throw new ReviewUnavailable('too many reviews are under way');
    this.#inFlight += 1;
    try {
      const object = { apiVersion, kind: name, metadata: {}, spec };
      return statusIn(await this.#deps.client.create(KINDS[kind], object, AbortSignal.timeout(DEADLINE_MS)));
    } catch (error) {
      throw new ReviewUnavailable(`a ${name} was not answered`, { cause: error });
    } finally {
      this.#inFlight -= 1;
    }
  }
}
