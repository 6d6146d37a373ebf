import type { Dispatcher } from 'undici';
import { MAX_CONNECT_MS, type Reading } from './connector.ts';
import { abortFailure, EgressFault, EXHAUSTED, failureOf } from './faults.ts';
import type { DialFailure, DialLimits, ResponseMemory } from './port.ts';
import type { ReadPace } from './read-pace.ts';
import {
  announcedBytes,
  createBodySink,
  FREE_BYTES,
  framingOf,
  NO_BODY,
  readHeaders,
  type BodySink,
  type Framing,
  type Headers,
  type ReadBody,
} from './response.ts';

/** How one request on the wire ended. The caller follows redirects. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Headers; readonly body: Uint8Array }
  | { readonly kind: 'failed'; readonly failure: DialFailure; readonly sent: boolean; readonly status: number | null };

export interface ExchangeSetup {
  readonly method: string;
  readonly limits: DialLimits;
  readonly signal: AbortSignal;
  /** State of the agent that the request is dispatched to. */
  readonly reading: Readonly<Reading>;
  /** Of all exchanges of the dialer. */
  readonly pace: ReadPace;
  readonly settle: (outcome: Outcome) => void;
  /** Called once, when undici is done with the request: its connection is free or gone. May come after `settle`. */
  readonly release: () => void;
}

const isDeadline = ({ code }: DialFailure): boolean => code === 'deadline';

/** Largest answer of any kind; a caller can't raise it (security.md S6). */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * undici's handler of one request. It settles at once when a limit or the signal ends it, also while the request still
 * waits for a connection. undici can't take back a waiting request. When its turn comes, the request is refused before
 * the first byte.
 */
export class ResponseExchange implements Dispatcher.DispatchHandler {
  readonly #setup: ExchangeSetup;
  #controller: Dispatcher.DispatchController | undefined;
  /** Connect timeout, then body idle; never both. */
  #timer: NodeJS.Timeout | undefined;
  #sink: BodySink | undefined;
  /** Bytes of the body on the wire. */
  #read = 0;
  #status: number | null = null;
  #headers: Headers = [];
  /** Only the end of the connection ends the body, though the HTTP version does not allow this. */
  #endless = false;
  /** Ends the wait for memory; undefined: it does not wait. */
  #endWait: (() => void) | undefined;
  #waited = false;
  #settled = false;
  #released = false;

  constructor(setup: ExchangeSetup) {
    this.#setup = setup;
    setup.signal.addEventListener('abort', this.#onAbort);
    if (setup.signal.aborted) this.#onAbort();
  }

  /** Call it after the dispatch. On a kept connection the request is on its way by then and needs no timer. */
  limitConnecting(): void {
    if (this.#settled || this.#controller !== undefined) return;
    const connectMs = Math.min(this.#setup.limits.connectTimeoutMs, MAX_CONNECT_MS);
    this.#timer = setTimeout(() => this.#fail({ kind: 'timeout', code: 'connect-timeout' }), connectMs);
  }

  /** undici writes the head in the same step right after this call: from here on the request counts as sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A second start would be a repeat that was not requested.
    if (this.#settled || this.#controller !== undefined) {
      controller.abort(new EgressFault({ kind: 'cancelled', code: 'cancelled' }));
      return;
    }
    this.#controller = controller;
    clearTimeout(this.#timer);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200 || this.#settled) return; // the deadline ends a flood of 1xx
    this.#status = status;
    const headers = readHeaders(controller.rawHeaders);
    if (headers === null) {
      this.#fail({ kind: 'response', code: 'headers-too-large' });
      return;
    }
    this.#headers = headers;
    this.#openBody(controller, status);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return; // `refresh` would wake a cleared timer
    this.#timer?.refresh();
    const { length } = chunk;
    this.#sink?.push(chunk);
    this.#read += length;
    if (this.#settled || this.#read <= FREE_BYTES) return;
    if (this.#setup.pace.take(length, () => controller.resume())) controller.pause();
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    if (this.#endless) this.#fail({ kind: 'transport', code: 'truncated' });
    else this.#sink?.end();
    this.#release();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#fail(this.#ofWait(failureOf(error, this.#status !== null)));
    this.#release();
  }

  #framing(status: number): Framing | null {
    const isBodiless = this.#setup.method === 'HEAD' || status === 204 || status === 304;
    return isBodiless ? NO_BODY : framingOf(this.#headers);
  }

  #openBody(controller: Dispatcher.DispatchController, status: number): void {
    const { limits, reading } = this.#setup;
    const framing = this.#framing(status);
    const cap = Math.min(limits.maxResponseBytes, MAX_RESPONSE_BYTES);
    if (framing === null) return this.#fail({ kind: 'response', code: 'unsupported-encoding' });
    if (framing.length > cap) return this.#fail({ kind: 'response', code: 'response-too-large' });
    const held = announcedBytes(framing);
    this.#endless = framing.untilClose && !reading.http10;
    this.#sink = createBodySink(framing.encoding, { cap, held, grow: limits.memory?.grow }, this.#onBody);
    if (held > 0 && limits.memory?.hold(held) === false) this.#waitForMemory(controller, limits.memory, held);
    else this.#limitIdle();
  }

  #limitIdle(): void {
    const { bodyIdleMs } = this.#setup.limits;
    this.#timer = setTimeout(() => this.#fail({ kind: 'timeout', code: 'body-idle' }), bodyIdleMs);
  }

  /** Without memory for it, a large answer is not read: it waits in its connection. */
  #waitForMemory(controller: Dispatcher.DispatchController, memory: ResponseMemory, bytes: number): void {
    controller.pause();
    this.#waited = true;
    this.#endWait = memory.wait(bytes, () => {
      this.#endWait = undefined;
      this.#limitIdle();
      this.#setup.pace.resumeLater(() => controller.resume());
    });
  }

  readonly #onBody = (result: ReadBody): void => {
    if (!result.ok) this.#fail(result.failure);
    else this.#settle({ kind: 'answered', status: this.#status ?? 0, headers: this.#headers, body: result.body });
  };

  readonly #onAbort = (): void => this.#fail(this.#ofWait(abortFailure(this.#setup.signal)));

  /**
   * While it waits for memory, the provider has no part in it that it sends no longer, or that the time is over. Neither has
   * it later in the end of a time of which the wait took a part.
   */
  #ofWait(failure: DialFailure): DialFailure {
    if (!this.#waited || failure.kind === 'cancelled') return failure;
    return this.#endWait !== undefined || isDeadline(failure) ? EXHAUSTED : failure;
  }

  #fail(failure: DialFailure): void {
    if (this.#settled) return;
    this.#settle({ kind: 'failed', failure, sent: this.#controller !== undefined, status: this.#status });
    // Breaks the connection: later bytes on it belong to no request.
    this.#controller?.abort(new EgressFault(failure));
  }

  #settle(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#endWait?.();
    this.#setup.signal.removeEventListener('abort', this.#onAbort);
    if (outcome.kind === 'failed') this.#sink?.destroy();
    this.#setup.settle(outcome);
  }

  #release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#setup.release();
  }
}
