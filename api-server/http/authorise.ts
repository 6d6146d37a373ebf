import type { Caller } from '../../core/api-key/caller.ts';
import type { Scope } from '../../core/api-key/scopes.ts';
import type { RateHeaders } from '../../core/rate-limit/rate-limiter.ts';
import { problem } from './problem.ts';
import { rateProblem } from './rate-problem.ts';
import type { RateStep, RequestRates } from './request-rates.ts';
import type { Reply, Route } from './route.ts';

export type AuthResult =
  | { readonly kind: 'ok'; readonly caller: Caller }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly why: 'cidr' }
  /** The right that this caller lacks, and how to grant it. */
  | { readonly kind: 'forbidden'; readonly why: 'not-allowed'; readonly detail: string }
  /** The service that identifies the caller can't be reached: fail closed. */
  | { readonly kind: 'unavailable' };

/** The subject of a request, for callers whose rights are checked for each object. */
export interface AccessSubject {
  /** `authenticated`: the route needs no right. */
  readonly scope: Scope | 'authenticated';
  /** `{id}` of `/orbisets/{id}/…`. */
  readonly orbiset: string | undefined;
  /** `?namespace=`; null when it is absent. */
  readonly namespace: string | null;
  /** The object of a path with `{namespace}/{name}`. */
  readonly object?: { readonly namespace: string; readonly name: string };
  /** `maybe`: beside its scope, the route wants to know whether the caller acts for the platform. */
  readonly admin?: 'maybe';
}

/**
 * Identifies the sender of a request by the `Authorization` header and the peer's address (security.md §6.2).
 * API keys are answered at once; a promise is returned only when another service must be called.
 */
export type Authenticate = (
  header: string | undefined,
  address: string,
  wanted: () => AccessSubject,
) => AuthResult | Promise<AuthResult>;

/** Whether this request may continue, and as which caller. */
export type Authorised =
  | {
      readonly kind: 'ok';
      readonly caller: Caller | undefined;
      /** Of its rate, for the answer. */
      readonly headers: RateHeaders;
    }
  | { readonly kind: 'refused'; readonly reply: Reply }
  /** Its rate is used up. */
  | { readonly kind: 'limited'; readonly reply: Reply; readonly caller: Caller | undefined };

interface Presented {
  readonly requestId: string;
  readonly authorization: string | undefined;
  readonly address: string;
  readonly params: Readonly<Record<string, string>>;
  /** The URL as it was sent: path and query. */
  readonly url: string;
}

const EXPIRY_NOTICE_MS = 14 * 24 * 3600 * 1000;

/** What identifies and limits the senders of requests. */
export interface Gatekeeping {
  readonly authenticate: Authenticate;
  /** Whether these credentials were valid when they were last checked; default: unknown. */
  readonly wasValid?: (authorization: string) => boolean;
  readonly rates: RequestRates;
}

const settled = (presented: Presented, step: RateStep, caller?: Caller): Authorised =>
  step.kind === 'allowed'
    ? { kind: 'ok', caller, headers: step.headers }
    : { kind: 'limited', reply: rateProblem(presented, step.refusal), caller };

const anyone = (route: Route, presented: Presented, { rates }: Gatekeeping): Authorised =>
  route.scope === 'source' || route.rated === false
    ? { kind: 'ok', caller: undefined, headers: {} }
    : settled(presented, rates.ofStranger(presented.address));

/** The answer to wrong credentials; 429 when too many came from the address. */
function refused(presented: Presented, { rates }: Gatekeeping, reply: Reply): Authorised {
  const step = rates.ofStranger(presented.address);
  return step.kind === 'allowed' ? { kind: 'refused', reply } : settled(presented, step);
}

function judge(scope: AccessSubject['scope'], presented: Presented, result: AuthResult, gate: Gatekeeping): Authorised {
  if (result.kind === 'unauthenticated') {
    // RFC 6750 §3.1: the error is named only when credentials were sent.
    const challenge = presented.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
    const headers = { 'www-authenticate': challenge };
    return refused(presented, gate, problem(presented, 'unauthenticated', { headers }));
  }
  if (result.kind === 'forbidden') {
    const detail = result.why === 'cidr' ? 'The key may not be used from this address.' : result.detail;
    return refused(presented, gate, problem(presented, 'forbidden', { detail }));
  }
  if (result.kind === 'unavailable')
    return { kind: 'refused', reply: problem(presented, 'authentication-unavailable') };
  const { caller } = result;
  const allowed = settled(presented, gate.rates.ofCaller(caller), caller);
  if (scope === 'authenticated' || caller.scopes.has(scope) || allowed.kind !== 'ok') return allowed;
  const detail = `The key lacks the scope ${scope}.`;
  const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
  return { kind: 'refused', reply: problem(presented, 'forbidden', { detail, headers }) };
}

const ORBISET = '/orbisets/{id}/';

const OBJECT = '/{namespace}/{name}';

function wantedBy({ path, admin }: Route, scope: AccessSubject['scope'], { params, url }: Presented): AccessSubject {
  const mark = url.indexOf('?');
  const namespace = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get('namespace');
  const orbiset = path.startsWith(ORBISET) ? params['id'] : undefined;
  const object = { namespace: params['namespace'] ?? '', name: params['name'] ?? '' };
  const isOfObject = path.includes(OBJECT);
  return {
    scope,
    orbiset,
    namespace,
    ...(isOfObject ? { object } : {}),
    ...(admin === undefined ? {} : { admin }),
  };
}

/** Whether credentials look like an API key, which is checked without a call to another service. */
const isApiKey = (authorization: string): boolean => /^bearer +orb_/i.test(authorization);

const mayCheck = (authorization: string, address: string, { rates, wasValid }: Gatekeeping): boolean =>
  isApiKey(authorization) || rates.mayCheck(address) || wasValid?.(authorization) === true;

/**
 * Rate, authentication and scope of one request. Public routes skip the last two, as do those that verify their sender
 * themselves, and these have rates of their own. A token of an address with too many wrong ones is not checked, because
 * the check is a call to the Kubernetes API. One that was valid before is checked.
 */
export function authorise(route: Route, presented: Presented, gate: Gatekeeping): Authorised | Promise<Authorised> {
  const { scope } = route;
  const { authorization, address } = presented;
  if (scope === 'public' || scope === 'source') return anyone(route, presented, gate);
  if (route.anonymous === 'maybe' && authorization === undefined) return anyone(route, presented, gate);
  if (authorization !== undefined && !mayCheck(authorization, address, gate))
    return settled(presented, gate.rates.ofStranger(address));
  const result = gate.authenticate(presented.authorization, presented.address, () => wantedBy(route, scope, presented));
  return result instanceof Promise
    ? result.then((answer) => judge(scope, presented, answer, gate))
    : judge(scope, presented, result, gate);
}

/** `Orb-Key-Expires` in the last 14 days of a key (design.md §3), else undefined. */
export const expiryNotice = (caller: Caller | undefined, now: number): string | undefined =>
  caller !== undefined && caller.expiresAt - now <= EXPIRY_NOTICE_MS
    ? new Date(caller.expiresAt).toISOString()
    : undefined;
