import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody, isSmall } from './body.ts';
import type { Reply } from './route.ts';

const LINGER_MS = 1000;

export interface RespondOptions {
  readonly requestId: string;
  /** Names in lower case; the reply's own win. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bodies up to here are read past, so that the connection can be used again. */
  readonly bodyBytes: number;
  /** The server is stopping: no further request on this connection. */
  readonly closing: boolean;
}

const isBodiless = (status: number): boolean => status === 204 || status === 304;

/**
 * Writes the answer whole and keeps the connection open while the caller still sends: a socket that is closed with unread
 * bytes is reset, and the caller would never see the answer (RFC 9112 §9.6).
 */
function linger(request: IncomingMessage, response: ServerResponse, body: string | Uint8Array): void {
  const end = (): void => {
    clearTimeout(timer);
    if (!response.destroyed) response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  response.once('close', () => clearTimeout(timer));
  request.once('end', end).once('close', end).resume();
  response.write(body);
}

/** What is left of the request's body, and what that means for the connection. */
function leftover(request: IncomingMessage, bodyBytes: number): 'nothing' | 'read-past' | 'cut' | 'linger' {
  if (request.complete || !hasBody(request)) return 'nothing';
  if (!isSmall(request, bodyBytes)) return 'linger';
  // Who waits for `100 Continue` may send the body or not: the next bytes could be either.
  return request.headers.expect === undefined ? 'read-past' : 'cut';
}

/** Sends one reply with length and the general headers; nothing when the caller is gone. */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  options: RespondOptions,
): void {
  if (response.destroyed || response.headersSent) return;
  const left = leftover(request, options.bodyBytes);
  const headers: Record<string, string | number> = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'orb-request-id': options.requestId,
    ...options.headers,
    ...reply.headers,
  };
  const bodiless = isBodiless(reply.status);
  if (!bodiless) headers['content-length'] = Buffer.byteLength(reply.body);
  if (options.closing || left === 'linger' || left === 'cut') headers['connection'] = 'close';
  response.writeHead(reply.status, headers);
  if (left === 'linger') linger(request, response, reply.body);
  else response.end(bodiless ? undefined : reply.body);
}
