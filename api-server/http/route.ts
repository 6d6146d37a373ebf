import type { Caller } from '../../core/api-key/caller.ts';
import type { Scope } from '../../core/api-key/scopes.ts';
import type { BodyResult, BodyTerms } from './body.ts';
import type { Operation } from './operation.ts';

/** One HTTP request after admission, authentication and body reading; free of Express. */
export interface RouteRequest {
  /** `req_` + UUIDv7; also the `Orb-Request-Id` answer header. */
  readonly requestId: string;
  /** W3C trace context: the caller's trace id with a new parent id, or a new trace; passed on to providers. */
  readonly traceparent: string;
  /** Absent on public routes, and on `anonymous: 'maybe'` routes without an Authorization header. */
  readonly caller: Caller | undefined;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** First value of a request header; name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Names and values as on the wire, in order: a header that came twice stands here twice. */
  readonly headerPairs: readonly (readonly [name: string, value: string])[];
  /** IP address of the client (`client-address.ts`); empty when it is unknown. */
  readonly address: string;
  /** Whole body within the limit; empty when there is none, and on a route with `accepts: 'bytes'`. */
  readonly body: Uint8Array;
  /** Reads the body, once; only for routes with `accepts: 'bytes'`. The server's own limit counts too. */
  readonly readBody: (terms: BodyTerms) => Promise<BodyResult> | BodyResult;
  /**
   * Resolves when the next piece of its work may run: each that may take some ten milliseconds needs a turn. With a long
   * body (`long-body.ts`) a handler has its first turn when it is called.
   */
  readonly longTurn: () => Promise<void>;
  /** Aborted when the caller goes away before the answer is complete. */
  readonly signal: AbortSignal;
}

/** A whole answer. The server adds request id, length and the general headers. */
export interface Reply {
  readonly status: number;
  /** Names in lower case; `content-type` is required unless the body is empty. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** What is left of the request's body is not read, because it costs too much. The connection closes after a moment. */
  readonly leavesBody?: true;
}

/** An answer that ends a request before its work is done. */
export interface Refused {
  readonly ok: false;
  readonly reply: Reply;
}

/** Result of one step of a handler: the input of the next step, or the answer that ends the request. */
export type Step<T> = { readonly ok: true; readonly value: T } | Refused;

export const refuse = (reply: Reply): Refused => ({ ok: false, reply });

/**
 * The right that a route needs (security.md §6.2). `authenticated`: any valid key or token. `source`: the handler
 * verifies the sender by the scheme of its signal source, and nobody else does.
 */
type RouteScope = Scope | 'public' | 'authenticated' | 'source';

/**
 * A route of the API. A route without a scope does not compile. A route with an unknown scope prevents the start of the
 * server (security.md S14).
 */
export interface Route {
  /** `head`: only where the answer differs from that of `get`, which answers HEAD too. */
  readonly method: 'get' | 'head' | 'post' | 'put' | 'delete';
  /** OpenAPI form: `/orbisets/{id}/execute`. */
  readonly path: string;
  readonly scope: RouteScope;
  /**
   * `maybe`: a request without Authorization header reaches the handler. The handler must refuse it where necessary.
   */
  readonly anonymous?: 'maybe';
  /**
   * Asked when a caller is refused: what everybody may have, this one may have too. It sees no caller and no body.
   * @returns undefined: the refusal stands
   */
  readonly forAnyone?: (request: RouteRequest) => Promise<Reply | undefined>;
  /** `maybe`: it does more for callers that act for the platform, so a ServiceAccount is asked for that right too. */
  readonly admin?: 'maybe';
  /**
   * Counts against the limit of runs in flight and is shed first when the process is overloaded. Tenants share the places,
   * and the time of the event loop.
   */
  readonly sheds?: true;
  /** `false`: a probe of this process, which no rate refuses. */
  readonly rated?: false;
  /**
   * Media type that a body must have. A route without this member takes no body. `bytes`: any type; the handler judges
   * the headers first, then calls `readBody` with a limit of its own, or answers without reading.
   */
  readonly accepts?: 'application/json' | 'bytes';
  readonly handle: (request: RouteRequest) => Promise<Reply>;
  /** Description of the route in OpenAPI. `openapi.ts` adds security and the problems that every route shares. */
  readonly operation: Operation;
}
