import type { SecretApiKeys } from '../../adapters/api-keys/secret-api-keys.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import type { Authenticate, AuthResult, Wanted } from '../http/authorise.ts';
import { SCOPE_RIGHTS, type Rights } from './scope-rights.ts';
import { ReviewUnavailable, type Access, type Account, type TokenReviewer } from './token-reviewer.ts';

export interface AuthenticateDeps {
  readonly keys: Pick<SecretApiKeys, 'authenticate'>;
  readonly reviewer: TokenReviewer;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Where a request goes to, in the cluster. */
interface Target {
  readonly namespace: string;
  readonly name?: string;
}

// A token of a ServiceAccount is a JWT of one or two kilobytes; nothing else is worth a question to the API server.
const BEARER_JWT = /^bearer +([\w-]{2,}\.[\w-]{2,}\.[\w-]{2,})$/i;
const MAX_TOKEN = 8192;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** As long as an answer of the API server counts (security.md S12). */
const FRESH_MS = 10_000;

function tokenIn(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_TOKEN) return undefined;
  return BEARER_JWT.exec(header)?.[1];
}

/**
 * The Orbiset or the namespace that a ServiceAccount means: a bare name is of its own namespace, `{namespace}.{name}` of that
 * one; on routes without an Orbiset `?namespace=`, else its own.
 * @returns undefined: no such thing can exist
 */
function targetOf({ orbiset, namespace }: Wanted, account: Account): Target | undefined {
  const [first = '', second, ...rest] = orbiset?.split('.') ?? [];
  const target =
    orbiset === undefined
      ? { namespace: namespace ?? account.namespace }
      : second === undefined
        ? { namespace: account.namespace, name: first }
        : { namespace: first, name: second };
  const parts = [target.namespace, ...('name' in target ? [target.name] : [])];
  return rest.length === 0 && parts.every((part) => LABEL.test(part)) ? target : undefined;
}

const accessesOf = ({ verbs, resource, subresource }: Rights, target: Target): readonly Access[] =>
  verbs.map((verb) => ({ verb, resource, ...(subresource === undefined ? {} : { subresource }), ...target }));

const lackOf = ({ verbs, resource, subresource }: Rights, { namespace }: Target): AuthResult => {
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

  async authenticate(token: string, wanted: Wanted): Promise<AuthResult> {
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

  async #judge(token: string, wanted: Wanted): Promise<AuthResult> {
    const { reviewer } = this.#deps;
    const account = await reviewer.account(token);
    if (account === 'nobody') return { kind: 'unauthenticated' };
    const target = targetOf(wanted, account);
    const rights = SCOPE_RIGHTS[wanted.scope];
    const accesses = target === undefined ? [] : accessesOf(rights, target);
    const digest = reviewer.digest(token);
    const answers = await Promise.all(accesses.map((access) => reviewer.access(digest, account, access)));
    const isAllowed = target !== undefined && answers.every((answer) => answer === 'allowed');
    if (isAllowed) return { kind: 'ok', caller: this.#caller(account, wanted, { digest, accesses, target }) };
    // In a namespace that is not its own, what it may not do is like what is not there (security.md S13).
    if (target?.namespace !== account.namespace) return { kind: 'ok', caller: nowhere(account, wanted) };
    return lackOf(rights, target);
  }

  #caller(
    account: Account,
    wanted: Wanted,
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
    return { ...nowhere(account, wanted), tenants: [target.namespace], standing };
  }
}

/** A caller without any tenant: every route answers it as for something that does not exist. */
const nowhere = ({ namespace, name }: Account, { scope }: Wanted): Caller => ({
  id: `sa:${namespace}/${name}`,
  tenants: [],
  scopes: new Set([scope]),
  orbs: undefined,
  expiresAt: Number.MAX_SAFE_INTEGER,
  standing: () => 'valid',
});

/**
 * Who sends a request on a cluster: an API key, known from its Secret and never a reason to ask the API server; or the token
 * of a ServiceAccount, which is reviewed and asked for the rights of the route's scope (security.md §6.2, S12).
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const tokens = new TokenCallers(deps);
  return (header, address, wanted) => {
    const token = tokenIn(header);
    return token === undefined ? deps.keys.authenticate(header, address) : tokens.authenticate(token, wanted());
  };
}
