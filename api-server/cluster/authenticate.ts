import type { SecretApiKeys } from '../../adapters/api-keys/secret-api-keys.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import { SCOPE_TABLE, type Rights, type Scope } from '../../core/api-key/scopes.ts';
import { isLabelName } from '../../core/reconcile/kube-name.ts';
import type { AuthResult, AccessSubject, Gatekeeping } from '../http/authorise.ts';
import { ReviewUnavailable, type Access, type Account, type TokenReviewer } from './token-reviewer.ts';

export interface AuthenticateDeps {
  readonly keys: Pick<SecretApiKeys, 'authenticate'>;
  readonly reviewer: TokenReviewer;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Where a ServiceAccount is asked for the scope `admin`: it is a right over the platform. */
  readonly platformNamespace: string;
}

/** The object in the cluster that a request is about. */
interface Target {
  readonly namespace: string;
  readonly name?: string;
}

// A token of a ServiceAccount is a JWT of one or two kilobytes. Other tokens are not sent to the API server.
const BEARER_JWT = /^bearer +([\w-]{2,}\.[\w-]{2,}\.[\w-]{2,})$/i;
const MAX_TOKEN = 8192;
/** How long an answer of the API server stays valid (security.md S12). */
const FRESH_MS = 10_000;

function tokenIn(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_TOKEN) return undefined;
  return BEARER_JWT.exec(header)?.[1];
}

/**
 * The Orbiset, other object or namespace that a ServiceAccount names, for a scope over tenants. The bare name of an
 * Orbiset is in the account's own namespace; `{namespace}.{name}` is in the given one. A path with `{namespace}/{name}`
 * names its object. Other routes use `?namespace=`, else the account's own namespace.
 * @returns undefined: no such object can exist
 */
function targetOf(wanted: AccessSubject, account: Account): Target | undefined {
  const target = wanted.object ?? orbisetOrNamespace(wanted, account);
  const parts = target === undefined ? [] : [target.namespace, ...('name' in target ? [target.name] : [])];
  return parts.every((part) => isLabelName(part)) ? target : undefined;
}

/** The names are not checked yet. */
function orbisetOrNamespace({ orbiset, namespace }: AccessSubject, account: Account): Target | undefined {
  if (orbiset === undefined) return { namespace: namespace ?? account.namespace };
  const [first = '', second, ...rest] = orbiset.split('.');
  if (rest.length > 0) return undefined;
  return second === undefined ? { namespace: account.namespace, name: first } : { namespace: first, name: second };
}

const accessesOf = ({ verbs, resource, subresource }: Rights, target: Target): readonly Access[] =>
  verbs.map((verb) => ({ verb, resource, ...(subresource === undefined ? {} : { subresource }), ...target }));

const missingRight = ({ verbs, resource, subresource }: Rights, { namespace }: Target): AuthResult => {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const detail = `The ServiceAccount may not ${verbs.join(' and ')} ${what} (group orbs.dev) in ${namespace}: bind it to a role that allows it.`;
  return { kind: 'forbidden', why: 'not-allowed', detail };
};

class TokenCallers {
  readonly #deps: AuthenticateDeps;
  #isAway = false;

  constructor(deps: AuthenticateDeps) {
    this.#deps = deps;
  }

  async authenticate(token: string, wanted: AccessSubject): Promise<AuthResult> {
    try {
      const result = await this.#judge(token, wanted);
      this.#isAway = false;
      return result;
    } catch (error) {
      if (!(error instanceof ReviewUnavailable)) throw error;
      if (!this.#isAway) this.#deps.logger.warn('tokens can not be reviewed: their callers get 503', { error });
      this.#isAway = true;
      return { kind: 'unavailable' };
    }
  }

  async #judge(token: string, wanted: AccessSubject): Promise<AuthResult> {
    const { scope } = wanted;
    const account = await this.#deps.reviewer.account(token);
    if (account === 'unknown') return { kind: 'unauthenticated' };
    return scope === 'authenticated'
      ? { kind: 'ok', caller: callerWithoutRights(account, []) }
      : this.#judgeRight(this.#deps.reviewer.digest(token), account, { ...wanted, scope });
  }

  async #judgeRight(
    digest: string,
    account: Account,
    wanted: AccessSubject & { readonly scope: Scope },
  ): Promise<AuthResult> {
    const { scope } = wanted;
    const { platformNamespace } = this.#deps;
    const target = scope === 'admin' ? { namespace: platformNamespace } : targetOf(wanted, account);
    const rights = SCOPE_TABLE[scope];
    const accesses = target === undefined ? [] : accessesOf(rights, target);
    if (target !== undefined && (await this.#isAllowed(digest, account, accesses))) {
      const caller = this.#caller(account, scope, { digest, accesses, target });
      const isAdmin = wanted.admin === 'maybe' && (await this.#isPlatformAdmin(digest, account));
      return { kind: 'ok', caller: isAdmin ? { ...caller, isPlatformAdmin: true } : caller };
    }
    // In a foreign namespace, a forbidden object looks like one that does not exist (security.md S13).
    if (target?.namespace !== account.namespace) return { kind: 'ok', caller: callerWithoutRights(account, [scope]) };
    return missingRight(rights, target);
  }

  async #isAllowed(digest: string, account: Account, accesses: readonly Access[]): Promise<boolean> {
    const { reviewer } = this.#deps;
    const answers = await Promise.all(accesses.map((access) => reviewer.access(digest, account, access)));
    return answers.every((answer) => answer === 'allowed');
  }

  async #has(digest: string, account: Account, accesses: readonly Access[]): Promise<'yes' | 'no' | 'unknown'> {
    try {
      return (await this.#isAllowed(digest, account, accesses)) ? 'yes' : 'no';
    } catch (error) {
      if (error instanceof ReviewUnavailable) return 'unknown';
      throw error;
    }
  }

  #isPlatformAdmin(digest: string, account: Account): Promise<boolean> {
    const accesses = accessesOf(SCOPE_TABLE.admin, { namespace: this.#deps.platformNamespace });
    return this.#isAllowed(digest, account, accesses);
  }

  #caller(
    account: Account,
    scope: Scope,
    {
      digest,
      accesses,
      target,
    }: { readonly digest: string; readonly accesses: readonly Access[]; readonly target: Target },
  ): Caller {
    const { reviewer, clock } = this.#deps;
    const since = clock.monotonic();
    const standing = (): ReturnType<Caller['standing']> => {
      const last = accesses.map((access) => reviewer.lastAccess(digest, access));
      if (last.includes('denied')) return 'revoked-or-expired';
      const isFresh = clock.monotonic() - since < FRESH_MS || last.every((answer) => answer === 'allowed');
      return isFresh ? 'valid' : 'unknown';
    };
    const { namespace } = target;
    const mayAlso = (further: Scope): ReturnType<NonNullable<Caller['mayAlso']>> =>
      this.#has(digest, account, accessesOf(SCOPE_TABLE[further], { namespace }));
    return { ...callerWithoutRights(account, [scope]), tenants: [namespace], standing, mayAlso };
  }
}

/** A caller without any tenant: every route answers as if the object did not exist. */
const callerWithoutRights = ({ namespace, name, groups }: Account, scopes: readonly Scope[]): Caller => ({
  id: `sa:${namespace}/${name}`,
  tenants: [],
  scopes: new Set(scopes),
  groups,
  orbs: undefined,
  expiresAt: Number.MAX_SAFE_INTEGER,
  standing: () => 'valid',
});

/** What finds senders on a cluster, and knows which tokens of ServiceAccounts were valid before. */
type Authentication = Required<Pick<Gatekeeping, 'authenticate' | 'wasValid'>>;

/**
 * Finds the sender of a request on a cluster. An API key is known from its Secret, without a call to the API server.
 * The token of a ServiceAccount is reviewed, and its rights are checked for the scope of the route (security.md §6.2,
 * S12).
 */
export function createAuthentication(deps: AuthenticateDeps): Authentication {
  const tokens = new TokenCallers(deps);
  return {
    authenticate: (header, address, wanted) => {
      const token = tokenIn(header);
      return token === undefined ? deps.keys.authenticate(header, address) : tokens.authenticate(token, wanted());
    },
    wasValid: (header) => {
      const token = tokenIn(header);
      return token !== undefined && deps.reviewer.isKnown(token);
    },
  };
}
