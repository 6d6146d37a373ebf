import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { LedgerError } from '../../adapters/ledger/port.ts';
import type { Admission } from './admission.ts';
import type { Share } from '../../core/fair-share/share.ts';
import { addressGroup } from '../../core/network/address-group.ts';
import { bothRates, type RateHeaders } from '../../core/rate-limit/rate-limiter.ts';
import { authorise, expiryNotice, type Gatekeeping } from './authorise.ts';
import { awaitsContinue, hasBody, isPlainJson, isSmallBody, readBody, type BodyResult } from './body.ts';
import { noRoom } from './no-room.ts';
import type { Exchange } from './exchange.ts';
import { LiveRequest, type RequestTools } from './live-request.ts';
import { LONG_BYTES } from './long-body.ts';
import type { RefusalPace } from './refusal-pace.ts';
import { ledgerCode, problem } from './problem.ts';
import { respond } from './respond.ts';
import { requestShare } from './request-share.ts';
import type { Reply, Route } from './route.ts';

export interface ServeContext extends RequestTools, Gatekeeping {
  readonly admission: Admission;
  readonly pace: RefusalPace;
  readonly logger: Pick<Logger, 'error'>;
  readonly clock: Clock;
  /** Longest time in which the caller takes no byte of a large answer, ms. */
  readonly stallMs: number;
  /** Longest time without a byte in either direction, ms. */
  readonly idleMs: number;
  readonly isDraining: () => boolean;
  /** Parts that the first start still waits for. */
  readonly notStarted: () => readonly string[];
}

const PACED_STATUSES: ReadonlySet<number> = new Set([401, 405, 429]);

/** Answers to requests that came no further than here: what they cost the caller is nothing. */
const isPaced = ({ route }: Exchange, { status }: Reply): boolean => route === 'none' || PACED_STATUSES.has(status);

/** Whether the connection needs nothing of what is left of the body. */
const canWait = ({ request }: Exchange, { bodyBytes }: ServeContext): boolean =>
  request.complete || !hasBody(request) || isSmallBody(request, bodyBytes);

/** Whose refusal it is: without a valid key, that of an address. */
const refusedShare = ({ addressOf }: ServeContext, { caller, request }: Exchange): Share =>
  caller === undefined
    ? { tenant: '', key: addressGroup(addressOf(request)) }
    : { tenant: caller.tenants[0] ?? '', key: caller.id };

/** Sends a reply; a refusal waits for its turn, and what is left of its body is read past meanwhile. */
export function finish(context: ServeContext, exchange: Exchange, reply: Reply): void {
  if (!isPaced(exchange, reply) || context.isDraining() || !canWait(exchange, context)) {
    return send(context, exchange, reply);
  }
  const { request, response } = exchange;
  if (!request.complete) request.resume();
  context.pace.take(refusedShare(context, exchange), response, () => send(context, exchange, reply));
}

/** Sends a reply with the headers that all answers have. */
function send(context: ServeContext, exchange: Exchange, reply: Reply): void {
  const notice = expiryNotice(exchange.caller, context.clock.now());
  respond(exchange.request, exchange.response, reply, {
    requestId: exchange.requestId,
    headers: notice === undefined ? {} : { 'orb-key-expires': notice },
    bodyBytes: context.bodyBytes,
    stallMs: context.stallMs,
    idleMs: context.idleMs,
    hold: context.held.ofAnswer,
    smallChunks: context.held.smallChunks,
    closing: context.isDraining(),
  });
}

/** An internal fault becomes a problem without details. The log has them. */
export function faultReply(context: ServeContext, exchange: Exchange, error: unknown): Reply {
  const away = error instanceof LedgerError;
  context.logger.error(away ? 'the ledger is unavailable' : 'request failed', {
    request_id: exchange.requestId,
    method: exchange.request.method,
    route: exchange.route,
    error,
  });
  return problem(exchange, away ? ledgerCode(error) : 'internal-error');
}

const presentedBy = (
  { addressOf }: ServeContext,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Parameters<typeof authorise>[1] => ({
  requestId: exchange.requestId,
  authorization: exchange.request.headers.authorization,
  address: addressOf(exchange.request),
  params,
  url: exchange.request.url ?? '',
});

const NO_BYTES = new Uint8Array();

const takesBody = ({ accepts }: Route, request: IncomingMessage): boolean =>
  accepts !== undefined && isPlainJson(request);

/** The answer to a body that was not read whole. @returns undefined: the caller went away */
function unread(
  { bodyBytes }: ServeContext,
  exchange: Exchange,
  body: Exclude<BodyResult, { readonly kind: 'body' }>,
): Reply | undefined {
  if (body.kind === 'gone') return undefined;
  if (body.kind === 'no-room') return noRoom(exchange, body.reason);
  const detail = `The limit is ${bodyBytes} bytes (--max-request-bytes, in the chart api.maxRequestBytes).`;
  return problem(exchange, 'body-too-large', { detail });
}

/** A request with the route that it matched. */
interface Matched {
  readonly route: Route;
  readonly exchange: Exchange;
  readonly params: Readonly<Record<string, string>>;
}

/** Reads the body. @returns undefined: the caller went away; a reply: the body is refused */
async function bodyOf(context: ServeContext, { route, exchange }: Matched): Promise<Uint8Array | Reply | undefined> {
  const { request } = exchange;
  if (hasBody(request) && !takesBody(route, request)) return problem(exchange, 'unsupported-media-type');
  // Only here: a caller that waits for `100 Continue` sends no body to a refusal.
  if (awaitsContinue(request, context.bodyBytes)) exchange.response.writeContinue();
  const body = await readBody(request, { limitBytes: context.bodyBytes }, context.held.ofBody(exchange));
  return body.kind === 'body' ? body.bytes : unread(context, exchange, body);
}

const NO_ANSWER = Promise.resolve(undefined);

/** Calls the handler. A caller that has gone gets no answer: what did not begin need not begin. */
function handled(context: ServeContext, matched: Matched, body: Uint8Array): Promise<Reply | undefined> {
  const { route, exchange, params } = matched;
  return exchange.response.destroyed ? NO_ANSWER : route.handle(new LiveRequest(exchange, params, body, context));
}

/** The same for a long body, when it is its turn. A run has a place, so its body counts only until then. */
async function handledInTurn(context: ServeContext, matched: Matched, body: Uint8Array): Promise<Reply | undefined> {
  const { route, exchange, params } = matched;
  const turn = context.turns.longBody(requestShare(exchange.caller, params), body.length);
  if (turn === undefined) return problem(exchange, 'overloaded', { headers: { 'retry-after': '1' } });
  const giveBack = await turn;
  if (route.sheds) giveBack();
  try {
    return await handled(context, matched, body);
  } finally {
    if (!route.sheds) giveBack();
  }
}

/** Notes whose request it is, so that long work of others leaves it time. The key of a caller may act for several. */
function noteTenant({ turns }: ServeContext, { exchange: { caller }, params }: Matched): void {
  const { tenant } = requestShare(caller, params);
  if (tenant !== '' && tenant !== '*') turns.note(tenant);
}

/** A run: it has a place among the runs in flight, and its handler starts when it is its tenant's turn. */
async function shared(context: ServeContext, matched: Matched): Promise<Reply | undefined> {
  const { exchange, params } = matched;
  const share = requestShare(exchange.caller, params);
  const admitted = context.admission.admit(share);
  if (admitted.kind === 'refused') return problem(exchange, admitted.code);
  try {
    const body = await bodyOf(context, matched);
    if (!(body instanceof Uint8Array)) return body;
    if (body.length > LONG_BYTES) return await handledInTurn(context, matched, body);
    return await context.turns.run(share, () => handled(context, matched, body));
  } finally {
    admitted.release();
  }
}

/** Reads the body and calls the handler. @returns undefined: the caller went away, and no answer is sent */
async function served(context: ServeContext, matched: Matched): Promise<Reply | undefined> {
  const { route, exchange, params } = matched;
  if (route.sheds) return shared(context, matched);
  if (route.accepts === 'bytes') return route.handle(new LiveRequest(exchange, params, NO_BYTES, context));
  const body = await bodyOf(context, matched);
  if (!(body instanceof Uint8Array)) return body;
  if (body.length === 0) noteTenant(context, matched);
  return body.length > LONG_BYTES ? handledInTurn(context, matched, body) : handled(context, matched, body);
}

const withRates = (reply: Reply, rates: RateHeaders): Reply => ({ ...reply, headers: bothRates(rates, reply.headers) });

/** @returns undefined: the caller went away, and no answer is sent */
async function answer(context: ServeContext, matched: Matched): Promise<Reply | undefined> {
  const { route, exchange, params } = matched;
  const authorised = await authorise(route, presentedBy(context, exchange, params), context);
  if (authorised.kind === 'refused') {
    const open = await route.forAnyone?.(new LiveRequest(exchange, params, NO_BYTES, context));
    return open ?? authorised.reply;
  }
  exchange.caller = authorised.caller;
  if (authorised.kind === 'limited') return authorised.reply;
  const reply = await served(context, matched);
  return reply && withRates(reply, authorised.headers);
}

async function guarded(context: ServeContext, matched: Matched): Promise<void> {
  const { exchange } = matched;
  try {
    const reply = await answer(context, matched);
    if (reply) finish(context, exchange, reply);
  } catch (error) {
    if (!exchange.response.destroyed) finish(context, exchange, faultReply(context, exchange, error));
  }
}

/**
 * Serves one matched request in this order: authentication and rate, admission, body, handler. Admission shares places by
 * tenant, so it needs the caller; a check of an API key takes some µs. Never rejects. An admitted run holds its place
 * until its handler is done, also when the caller has gone.
 */
export async function serveRoute(
  context: ServeContext,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  exchange.route = route.path;
  // Before keys, Orbisets and kill switches are read for the first time, every answer would be wrong.
  const missing = route.scope === 'public' ? [] : context.notStarted();
  if (missing.length > 0) {
    return finish(context, exchange, problem(exchange, 'not-ready', { detail: `Missing: ${missing.join(', ')}.` }));
  }
  if (route.sheds && context.isDraining()) return finish(context, exchange, problem(exchange, 'shutting-down'));
  return guarded(context, { route, exchange, params });
}
