import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Caller } from '../../core/api-key/caller.ts';

/** One request and its answer inside the server. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly traceparent: string;
  /** Template of the matched path; the label of the metrics. */
  route = 'none';
  caller: Caller | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse, requestId: string, traceparent: string) {
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.traceparent = traceparent;
  }
}

/** A request that carries its exchange through Express. A `WeakMap` would double the work of the garbage collector. */
export class RequestWithExchange extends IncomingMessage {
  exchange: Exchange | undefined = undefined;

  /**
   * Node asks whether a request switches protocols, and reads no further as HTTP if so. Here it also ends the reading of a
   * connection that was cut: a stranger sends 2 000 requests in one piece, and all of them would still be parsed.
   */
  get upgrade(): boolean {
    return this.method === 'CONNECT' || this.socket.destroyed;
  }

  /** Node sets what the headers say. No protocol is offered, so the wish is ignored (RFC 9110 §7.8). */
  set upgrade(_wish: unknown) {}
}

/** @throws TypeError the request did not come through `server.ts` */
export function exchangeOf(request: IncomingMessage): Exchange {
  // Express has replaced the prototype by now, so `instanceof RequestWithExchange` is false.
  const exchange = 'exchange' in request ? request.exchange : undefined;
  if (exchange instanceof Exchange) return exchange;
  throw new TypeError('a request without exchange');
}
