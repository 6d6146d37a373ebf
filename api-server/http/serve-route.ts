import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { LedgerError } from '../../adapters/ledger/port.ts';
import type { Admission } from './admission.ts';
import { authorise, expiryNotice, type Authenticate } from './authorise.ts';
import { hasBody, isPlainJson, isTooLarge, readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { LiveRequest } from './live-request.ts';
import { ledgerCode, problem } from './problem.ts';
import { respond } from './respond.ts';
import type { Reply, Route } from './route.ts';

export interface ServeContext {
  readonly authenticate: Authenticate;
  readonly admission: Admission;
  readonly logger: Pick<Logger, 'error'>;
  readonly clock: Clock;
  readonly bodyBytes: number;
  readonly isDraining: () => boolean;
  /** What the first start still waits for. */
  readonly notStarted: () => readonly string[];
}

/** Sends a reply with everything that all answers carry. */
export function finish(context: ServeContext, exchange: Exchange, reply: Reply): void {
  const notice = expiryNotice(exchange.caller, context.clock.now());
  respond(exchange.request, exchange.response, reply, {
    requestId: exchange.requestId,
    headers: notice === undefined ? {} : { 'orb-key-expires': notice },
    bodyBytes: context.bodyBytes,
    closing: context.isDraining(),
  });
}

/** A fault of ours becomes a problem that says nothing about it; the log knows the rest. */
export function faultReply(context: ServeContext, exchange: Exchange, error: unknown): Reply {
  const away = error instanceof LedgerError;
  context.logger.error(away ? 'the ledger is away' : 'request failed', {
    request_id: exchange.requestId,
    method: exchange.request.method,
    route: exchange.route,
    error,
  });
  return problem(exchange, away ? ledgerCode(error) : 'internal-error');
}

const presentedBy = (
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Parameters<typeof authorise>[1] => ({
  requestId: exchange.requestId,
  authorization: exchange.request.headers.authorization,
  address: exchange.request.socket.remoteAddress ?? '',
  params,
  url: exchange.request.url ?? '',
});

const awaitsContinue = (request: IncomingMessage, limitBytes: number): boolean =>
  request.headers.expect !== undefined && request.httpVersionMinor > 0 && !isTooLarge(request, limitBytes);

/** @returns undefined: the caller went away, nobody waits for an answer */
async function answer(
  context: ServeContext,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<Reply | undefined> {
  const { request } = exchange;
  const authorised = await authorise(route, presentedBy(exchange, params), context.authenticate);
  if (authorised.kind === 'refused') return authorised.reply;
  exchange.caller = authorised.caller;
  if (hasBody(request) && !(route.accepts !== undefined && isPlainJson(request))) {
    return problem(exchange, 'unsupported-media-type');
  }
  // Only now: a caller that waits for it sends no body to a refusal.
  if (awaitsContinue(request, context.bodyBytes)) exchange.response.writeContinue();
  const body = await readBody(request, context.bodyBytes);
  if (body.kind === 'gone') return undefined;
  if (body.kind === 'too-large') {
    return problem(exchange, 'body-too-large', { detail: `The limit is ${context.bodyBytes} bytes.` });
  }
  return route.handle(new LiveRequest(exchange, params, body.bytes));
}

async function guarded(
  context: ServeContext,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    const reply = await answer(context, route, exchange, params);
    if (reply) finish(context, exchange, reply);
  } catch (error) {
    if (!exchange.response.destroyed) finish(context, exchange, faultReply(context, exchange, error));
  }
}

/**
 * Serves one matched request: admission first, so that a refusal costs nothing, then who asks, then the body, then the
 * handler. Never rejects. An admitted run holds its place until its handler is done, also when the caller has gone.
 */
export async function serveRoute(
  context: ServeContext,
  route: Route,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  exchange.route = route.path;
  // Before the first look at keys, Orbisets and kill switches every answer would be a wrong one.
  const missing = route.scope === 'public' ? [] : context.notStarted();
  if (missing.length > 0) {
    return finish(context, exchange, problem(exchange, 'not-ready', { detail: `Missing: ${missing.join(', ')}.` }));
  }
  if (!route.sheds) return guarded(context, route, exchange, params);
  if (context.isDraining()) return finish(context, exchange, problem(exchange, 'shutting-down'));
  const admitted = context.admission.admit();
  if (admitted.kind === 'refused') return finish(context, exchange, problem(exchange, admitted.code));
  try {
    return await guarded(context, route, exchange, params);
  } finally {
    admitted.release();
  }
}
