import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { after, SCOPE_ENDED, withScope } from './abort-scope.ts';
import type { Connection } from './connection.ts';
import { createSemaphore } from './semaphore.ts';
import { readKubeJson, type KubeJson } from './kube-json.ts';
import { nextWait, type Repeat, type RetryCounts } from './kube-retry.ts';
import { readRefusal, statusError, noAnswerError, notSentError } from './kube-status.ts';
import { createTransport, type Answer, type KubeExchange, type Transport } from './kube-transport.ts';
import { KubeError, type KubeMetrics } from './port.ts';

export interface CallerOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Pick<KubeMetrics, 'request'>;
  /** Name and version of the program. */
  readonly userAgent: string;
}

/** One call, with all its retries. */
export interface Call {
  readonly verb: string;
  readonly method: KubeExchange['method'];
  readonly repeat: Repeat;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
  /** Description for errors: without query and body. */
  readonly what: string;
  /** The server's message about it must not be shown. */
  readonly quiet: boolean;
}

/**
 * Sends calls to the server with credentials, deadlines, bounds, retries and metrics. The client interprets the
 * answers.
 */
export interface Caller {
  /** @throws KubeError any answer but 2xx, or no answer; the signal's reason */
  readonly json: (call: Call, signal: AbortSignal) => Promise<KubeJson>;
  /** One attempt; resolves when the header has arrived. The stream throws `KubeError` or the signal's reason. */
  readonly stream: (call: Call, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  readonly close: () => Promise<void>;
}

const CALL_MS = 30_000;
const LIST_MS = 60_000;
const MAX_IN_FLIGHT = 64;
const MAX_LISTS = 4;

const isOk = (status: number): boolean => status >= 200 && status < 300;

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * A KubeError stays as it is; any other error means that no answer came. An aborted call rejects with the reason of its
 * signal.
 */
function faultOf(error: unknown, call: Call, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return error instanceof KubeError ? error : noAnswerError(call.what, error);
}

async function* guarded(
  body: AsyncIterable<Uint8Array>,
  call: Call,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw faultOf(error, call, signal);
  }
}

const timeoutError = (call: Call, ms: number): KubeError =>
  noAnswerError(call.what, new Error(`no answer within ${ms / 1000} s`));

class HttpCaller implements Caller {
  readonly #options: CallerOptions;
  readonly #transport: Transport;
  readonly #calls = createSemaphore(MAX_IN_FLIGHT);
  readonly #lists = createSemaphore(MAX_LISTS);

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#transport = createTransport(options.connection);
  }

  readonly json: Caller['json'] = async (call, signal) => {
    const { clock, logger, random } = this.#options;
    let waits: RetryCounts = { requested: 0, own: 0 };
    for (;;) {
      try {
        return await this.#admitted(call, signal);
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        const next = nextWait(error, call.repeat, { waits, random });
        if (next === undefined) throw error;
        ({ waits } = next);
        logger.debug('a Kubernetes call is tried again', { call: call.what, status: error.status, wait_ms: next.ms });
        await clock.sleep(next.ms, signal);
      }
    }
  };

  readonly stream: Caller['stream'] = async (call, signal) => {
    signal.throwIfAborted();
    const [deadline, timer] = [new AbortController(), new AbortController()];
    const act = (): void => deadline.abort(timeoutError(call, CALL_MS));
    after(this.#options.clock, CALL_MS, { signal: timer.signal, act });
    const either = AbortSignal.any([signal, deadline.signal]);
    try {
      const { body } = await this.#answer(call, 'watches', either);
      return guarded(body, call, either);
    } catch (error) {
      throw faultOf(error, call, either);
    } finally {
      timer.abort(SCOPE_ENDED);
    }
  };

  readonly close = (): Promise<void> => this.#transport.destroy();

  /** One attempt, with its places in the gates. The places are given back while a call waits for its next attempt. */
  #admitted(call: Call, signal: AbortSignal): Promise<KubeJson> {
    const once = (): Promise<KubeJson> => this.#calls.pass(signal, () => this.#once(call, signal));
    return call.verb === 'list' ? this.#lists.pass(signal, once) : once();
  }

  #once(call: Call, signal: AbortSignal): Promise<KubeJson> {
    const ms = call.verb === 'list' ? LIST_MS : CALL_MS;
    return withScope(signal, async (scope) => {
      after(this.#options.clock, ms, { signal: scope.signal, act: () => scope.abort(timeoutError(call, ms)) });
      try {
        const { body } = await this.#answer(call, 'calls', scope.signal);
        return readKubeJson(await readAll(body));
      } catch (error) {
        throw faultOf(error, call, scope.signal);
      }
    });
  }

  /** The answer of a successful call. 401 is tried again once with new credentials, as the call was not executed. */
  async #answer(call: Call, lane: 'calls' | 'watches', signal: AbortSignal): Promise<Answer> {
    let answer = await this.#exchange(call, lane, { refresh: false, signal });
    if (answer.status === 401) {
      await readAll(answer.body);
      answer = await this.#exchange(call, lane, { refresh: true, signal });
    }
    const { status, body, retryAfter } = answer;
    if (isOk(status)) return answer;
    throw statusError({
      status,
      body: readRefusal(await readAll(body)),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      what: call.what,
      quiet: call.quiet,
    });
  }

  async #exchange(
    call: Call,
    lane: 'calls' | 'watches',
    { refresh, signal }: { refresh: boolean; signal: AbortSignal },
  ): Promise<Answer> {
    const { method, path, body, verb } = call;
    const headers = await this.#headers(call, refresh);
    const started = this.#options.clock.monotonic();
    let code = '<error>';
    try {
      const exchange = { method, path, headers, ...(body === undefined ? {} : { body }) };
      const answer = await this.#transport.send(exchange, lane, signal);
      code = String(answer.status);
      return answer;
    } finally {
      this.#options.metrics.request(method, code, verb, (this.#options.clock.monotonic() - started) / 1000);
    }
  }

  async #headers({ contentType, what }: Call, refresh: boolean): Promise<Record<string, string>> {
    const { connection, userAgent } = this.#options;
    let authorization: string | undefined;
    try {
      authorization = await connection.authorization(refresh);
    } catch (error) {
      throw notSentError(what, error);
    }
    return {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(authorization === undefined ? {} : { authorization }),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    };
  }
}

export const createCaller = (options: CallerOptions): Caller => new HttpCaller(options);
