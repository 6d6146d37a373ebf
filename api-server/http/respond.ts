import type { IncomingMessage, ServerResponse } from 'node:http';
import { freeBytes } from '../../adapters/memory/free-bytes.ts';
import { hasBody, isSmallBody } from './body.ts';
import { ChunkSizes, cutSmallChunks } from './chunk-sizes.ts';
import type { Reply } from './route.ts';

const LINGER_MS = 1000;
/** A smaller answer fits into the buffers of the system, or costs little while it waits. */
const LARGE_BYTES = 65_536;

export interface RespondOptions {
  readonly requestId: string;
  /** Names in lower case. A header of the reply replaces the same one here. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bodies up to this size are read and discarded, so that the connection can be used again. */
  readonly bodyBytes: number;
  /** Longest time in which the caller takes no byte of a large answer, ms. */
  readonly stallMs: number;
  /** Longest time without a byte in either direction, ms. It applies again after a large answer. */
  readonly idleMs: number;
  /** Counts bytes of an answer that the caller has not taken, until `close`. */
  readonly hold: (request: IncomingMessage, bytes: number) => { readonly close: () => void };
  /** Counts a request that was cut because of its small chunks. */
  readonly smallChunks: () => void;
  /** The server is stopping: the connection takes no further request. */
  readonly closing: boolean;
}

const isBodiless = (status: number): boolean => status === 204 || status === 304;

/**
 * Writes the whole answer and keeps the connection open while the caller still sends. A socket that closes with unread
 * bytes is reset, and the caller would never see the answer (RFC 9112 §9.6). What it sends is read and dropped, or left
 * to the system, whose buffers then hold the caller back.
 */
function linger(
  request: IncomingMessage,
  response: ServerResponse,
  { body, leavesBody }: Reply,
  smallChunks: () => void,
): void {
  const end = (): void => {
    clearTimeout(timer);
    if (!response.destroyed) response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  response.once('close', () => clearTimeout(timer));
  request.once('end', end).once('close', end);
  if (leavesBody !== true) dropRest(request, smallChunks);
  response.write(body);
}

/** Reads what the caller still sends and drops it. Node would do the same, and leave the memory to the collector. */
function dropRest(request: IncomingMessage, smallChunks: () => void): void {
  const sizes = new ChunkSizes();
  const drop = (chunk: Buffer): void => {
    const { length } = chunk;
    freeBytes(chunk);
    if (sizes.add(length)) return;
    request.off('data', drop);
    smallChunks();
    cutSmallChunks(request);
  };
  request.on('error', () => undefined);
  request.on('data', drop).resume();
}

/**
 * Counts a large answer until its caller has taken it, and cuts a caller that takes no byte of it. Node counts the bytes
 * that the system still takes, so a slow reader stays. It uses the time limit of the connection: no timer is made, and
 * small answers cost nothing.
 */
function limitUnread(request: IncomingMessage, response: ServerResponse, options: RespondOptions): void {
  const { socket } = request;
  if (response.writableFinished || socket.writableLength === 0) return;
  const { close } = options.hold(request, socket.writableLength);
  response.once('close', close);
  socket.setTimeout(options.stallMs);
  // Runs before Node's own listener, which sets the time limit of a connection that waits for its next request.
  response.prependOnceListener('finish', () => socket.setTimeout(options.idleMs));
}

type Leftover = 'nothing' | 'read-past' | 'cut' | 'linger';

const CLOSING: ReadonlySet<Leftover> = new Set(['cut', 'linger']);

/** The unread part of the request's body, and its effect on the connection. */
function leftover(request: IncomingMessage, { leavesBody }: Reply, bodyBytes: number): Leftover {
  if (leavesBody === true) return 'linger';
  if (request.complete || !hasBody(request)) return 'nothing';
  if (!isSmallBody(request, bodyBytes)) return 'linger';
  // A caller that waits for `100 Continue` may or may not send the body. The next bytes could be either.
  return request.headers.expect === undefined ? 'read-past' : 'cut';
}

/** Sends one reply with length and the general headers. It sends nothing when the caller has gone. */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  options: RespondOptions,
): void {
  if (response.destroyed || response.headersSent) return;
  const left = leftover(request, reply, options.bodyBytes);
  const headers: Record<string, string | number> = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'orb-request-id': options.requestId,
    ...options.headers,
    ...reply.headers,
  };
  const bodiless = isBodiless(reply.status);
  if (!bodiless) headers['content-length'] = Buffer.byteLength(reply.body);
  if (options.closing || CLOSING.has(left)) headers['connection'] = 'close';
  response.writeHead(reply.status, headers);
  if (left === 'read-past') dropRest(request, options.smallChunks);
  if (left === 'linger') linger(request, response, reply, options.smallChunks);
  else response.end(bodiless ? undefined : reply.body);
  if (reply.body.length >= LARGE_BYTES) limitUnread(request, response, options);
}
