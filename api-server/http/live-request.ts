import type { IncomingMessage, ServerResponse } from 'node:http';
import { awaitsContinue, readBody, type BodyResult, type BodyTerms } from './body.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import type { Exchange } from './exchange.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { LoopTurns } from './loop-turns.ts';
import { requestShare } from './request-share.ts';
import type { RouteRequest } from './route.ts';

/** Parts of the server that a request needs only on some routes. */
export interface RequestTools {
  readonly addressOf: (request: IncomingMessage) => string;
  /** Largest body of any route. */
  readonly bodyBytes: number;
  readonly held: HeldBytes;
  readonly turns: LoopTurns;
}

/** A request that a handler works on. Query and signal are made on first use: most runs need neither. */
export class LiveRequest implements RouteRequest {
  readonly requestId: string;
  readonly traceparent: string;
  readonly caller: Caller | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly #exchange: Exchange;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #tools: RequestTools;
  #query: URLSearchParams | undefined;
  #controller: AbortController | undefined;

  constructor(exchange: Exchange, params: Readonly<Record<string, string>>, body: Uint8Array, tools: RequestTools) {
    this.requestId = exchange.requestId;
    this.traceparent = exchange.traceparent;
    this.caller = exchange.caller;
    this.params = params;
    this.body = body;
    this.#exchange = exchange;
    this.#request = exchange.request;
    this.#response = exchange.response;
    this.#tools = tools;
  }

  get address(): string {
    return this.#tools.addressOf(this.#request);
  }

  get headerPairs(): readonly (readonly [name: string, value: string])[] {
    const { rawHeaders } = this.#request;
    return Array.from({ length: rawHeaders.length / 2 }, (_, at) => [
      rawHeaders[2 * at] ?? '',
      rawHeaders[2 * at + 1] ?? '',
    ]);
  }

  get query(): URLSearchParams {
    if (!this.#query) {
      const url = this.#request.url ?? '';
      const mark = url.indexOf('?');
      this.#query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
    }
    return this.#query;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      const response = this.#response;
      const gone = (): void => {
        if (!response.writableFinished) controller.abort(new DOMException('the caller went away', 'AbortError'));
      };
      if (response.destroyed) gone();
      else response.once('close', gone);
      this.#controller = controller;
    }
    return this.#controller.signal;
  }

  readBody(terms: BodyTerms): Promise<BodyResult> | BodyResult {
    const limitBytes = Math.min(terms.limitBytes, this.#tools.bodyBytes);
    if (awaitsContinue(this.#request, limitBytes)) this.#response.writeContinue();
    return readBody(this.#request, { ...terms, limitBytes }, this.#tools.held.ofBody(this.#exchange));
  }

  longTurn(): Promise<void> {
    return this.#tools.turns.longTurn(requestShare(this.caller, this.params));
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }
}
