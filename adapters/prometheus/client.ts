import { setImmediate as nextTurn } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { errorCode } from '../../core/errors/error-code.ts';
import type { UnusableReason } from '../../core/failover/metrics.ts';
import { isTimeout, within } from '../kube/within.ts';
import type { Clock } from '../time/clock.ts';
import { readCredentials, type Credentials, type PrometheusConnection } from './credentials.ts';
import { MalformedAnswer, VectorStream, type Envelope, type Sample } from './vector-stream.ts';

/** An answer that must not be used for a decision. `detail` holds neither secrets nor text of the server. */
export interface Unusable {
  readonly kind: 'unusable';
  readonly why: UnusableReason;
  readonly detail: string;
}
export type QueryResult = { readonly kind: 'vector'; readonly samples: number } | Unusable;

/** One instant query. */
interface Query {
  readonly promql: string;
  /** For the whole exchange, from the connection to the last byte. */
  readonly deadlineMs: number;
  /** Largest answer; default 32 MiB. */
  readonly maxBytes?: number;
  /** Called for each element while the answer is read. The elements count only if the result is `vector`. */
  readonly onSample: (sample: Sample) => void;
}

/**
 * Instant queries to one Prometheus, or to a server with the same API. One query at a time: another one waits within
 * its deadline.
 */
export interface PrometheusClient {
  /** Never rejects; an aborted query is `unusable`. */
  readonly query: (query: Query, signal: AbortSignal) => Promise<QueryResult>;
  readonly close: () => Promise<void>;
}

export interface ClientDeps {
  readonly connection: PrometheusConnection;
  readonly clock: Clock;
}

/** Longest time that the server may spend on a query. */
const SERVER_TIMEOUT_MS = 8000;
/** failover.md §3.1. */
export const MAX_BYTES = 32 * 1024 * 1024;
/** Largest part of an error's body that is read, to find out whether the server ran out of time. */
const MAX_ERROR_BYTES = 16 * 1024;
/** If the clocks differ by more than this, one of them is wrong, and every age may be wrong. */
const MAX_SKEW_MS = 30_000;
/** Longest work without a turn of the event loop, and the longest read between two checks of the time. */
const SLICE_MS = 4;
const SLICE_BYTES = 64 * 1024;
const TIMED_OUT = /"errorType"\s*:\s*"timeout"/;

class Refused extends Error {
  readonly why: UnusableReason;

  constructor(why: UnusableReason, detail: string) {
    super(detail);
    this.why = why;
  }
}

type Body = AsyncIterable<Buffer>;

async function readEnd(body: Body): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Reads the body to its end; the event loop turns between two slices. */
async function readVector(body: Body, clock: Clock, stream: VectorStream, maxBytes: number): Promise<Envelope> {
  let size = 0;
  let began = clock.monotonic();
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw new Refused('parse', `the answer is larger than ${maxBytes} bytes`);
    for (let from = 0; from < part.length; from += SLICE_BYTES) {
      stream.write(part.subarray(from, from + SLICE_BYTES));
      if (clock.monotonic() - began < SLICE_MS) continue;
      await nextTurn();
      began = clock.monotonic();
    }
  }
  return stream.end();
}

function checkEnvelope({ status, resultType, isPartial }: Envelope, samples: number): void {
  if (status !== 'success') throw new Refused('http', 'the status of the answer is not success');
  if (isPartial) throw new Refused('warnings', 'the answer has warnings: data may be missing');
  if (resultType !== 'vector') throw new Refused('parse', 'the answer is no instant vector');
  if (samples === 0) throw new Refused('empty', 'the answer is empty');
}

/** @param date of the answer. Without a date, the caller that reads the samples checks the evaluation time instead */
function checkDate(date: unknown, now: number): void {
  const served = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  const skew = Math.abs(served - now);
  if (skew > MAX_SKEW_MS) throw new Refused('clock', `its clock is ${Math.round(skew / 1000)} s from ours`);
}

function unusable(error: unknown): Unusable {
  if (error instanceof Refused) return { kind: 'unusable', why: error.why, detail: error.message };
  if (error instanceof MalformedAnswer) return { kind: 'unusable', why: 'parse', detail: error.message };
  if (isTimeout(error)) return { kind: 'unusable', why: 'timeout', detail: 'no whole answer in time' };
  const code = errorCode(error) ?? 'failed';
  return { kind: 'unusable', why: 'http', detail: `no answer: ${code}` };
}

const createAgent = (tls: Credentials['tls']): Agent =>
  new Agent({
    connect: { ...tls, allowH2: false },
    connections: 1, // the server computes one of our queries at a time
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0, // `deadlineMs` limits it
    bodyTimeout: 0,
  });

/** The agent for the current certificates; a new one is made when a file has changed. */
class Agents {
  #tls = '';
  #agent: Agent | undefined;

  for(tls: Credentials['tls']): Agent {
    const text = JSON.stringify(tls);
    if (this.#agent !== undefined && text === this.#tls) return this.#agent;
    this.#agent?.close().catch(() => undefined); // ends with its last query; not awaited here
    this.#agent = createAgent(tls);
    this.#tls = text;
    return this.#agent;
  }

  async destroy(): Promise<void> {
    await this.#agent?.destroy();
  }
}

const seconds = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

type Request = Dispatcher.RequestOptions & { readonly origin: string };

function requestOf(
  { url }: PrometheusConnection,
  { promql, deadlineMs }: Query,
  headers: Credentials['headers'],
): Request {
  const { origin, pathname } = new URL(url);
  const timeout = seconds(Math.min(SERVER_TIMEOUT_MS, deadlineMs));
  return {
    origin,
    path: `${pathname.replace(/\/+$/, '')}/api/v1/query`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ query: promql, timeout }).toString(),
  };
}

async function readAnswer(answer: Dispatcher.ResponseData, clock: Clock, asked: Query): Promise<number> {
  const { onSample, maxBytes = MAX_BYTES } = asked;
  answer.body.on('error', () => undefined); // a reader gets it too; there may be no reader any more
  if (answer.statusCode !== 200) {
    const text = await readEnd(answer.body);
    throw new Refused(TIMED_OUT.test(text) ? 'timeout' : 'http', `HTTP ${answer.statusCode}`);
  }
  checkDate(answer.headers['date'], clock.now());
  let samples = 0;
  const count = (sample: Sample): void => {
    samples += 1;
    onSample(sample);
  };
  checkEnvelope(await readVector(answer.body, clock, new VectorStream(count), maxBytes), samples);
  return samples;
}

/**
 * Opens no connection before the first query. Redirects are not followed: a token must not be sent elsewhere. `time` is
 * not sent: the server evaluates at its own current time (failover.md §3.2).
 */
export function createPrometheusClient({ connection, clock }: ClientDeps): PrometheusClient {
  const agents = new Agents();
  const query: PrometheusClient['query'] = async (asked, signal) => {
    const work = async (inTime: AbortSignal): Promise<number> => {
      const { tls, headers } = await readCredentials(connection);
      const answer = await agents.for(tls).request({ ...requestOf(connection, asked, headers), signal: inTime });
      return readAnswer(answer, clock, asked);
    };
    try {
      const samples = await within({ clock, ms: asked.deadlineMs, what: 'the query' }, signal, work);
      return { kind: 'vector', samples };
    } catch (error) {
      return unusable(error);
    }
  };
  return { query, close: () => agents.destroy() };
}
