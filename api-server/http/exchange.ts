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
}

/** @throws TypeError the request did not come through `server.ts` */
export function exchangeOf(request: IncomingMessage): Exchange {
  // Express has replaced the prototype by now, so `instanceof RequestWithExchange` is false.
  const exchange = 'exchange' in request ? request.exchange : undefined;
  if (exchange instanceof Exchange) return exchange;
  throw new TypeError('a request without exchange');
}
