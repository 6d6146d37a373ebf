import { setImmediate as nextTurn } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import type { UnusableReason } from '../../core/failover/metrics.ts';
import { isTimeout, within } from '../kube/within.ts';
import type { Clock } from '../time/clock.ts';
import { readCredentials, type Credentials, type PrometheusConnection } from './credentials.ts';
import { MalformedAnswer, VectorStream, type Envelope, type Sample } from './vector-stream.ts';

/** An answer that nothing may be decided on; `detail` holds neither secrets nor what the server wrote. */
export interface Unusable {
  readonly kind: 'unusable';
  readonly why: UnusableReason;
  readonly detail: string;
}
export type QueryResult = { readonly kind: 'vector'; readonly samples: number } | Unusable;

/** One instant query. */
interface Query {
  readonly promql: string;
  /** For everything from the connection to the last byte. */
  readonly deadlineMs: number;
  /** Of the answer; 32 MiB unless said. */
  readonly maxBytes?: number;
  /** Called for each element while the answer is read: what it was given counts only if the result is `vector`. */
  readonly onSample: (sample: Sample) => void;
}

/** Instant queries to one Prometheus, or to what speaks like one. One at a time: another one waits within its deadline. */
export interface PrometheusClient {
  /** Never rejects; an aborted query is `unusable`. */
  readonly query: (query: Query, signal: AbortSignal) => Promise<QueryResult>;
  readonly close: () => Promise<void>;
}

export interface ClientDeps {
  readonly connection: PrometheusConnection;
  readonly clock: Clock;
}

/** What we ask the server to spend on a query at most. */
const SERVER_TIMEOUT_MS = 8000;
/** failover.md §3.1. */
export const MAX_BYTES = 32 * 1024 * 1024;
/** Of the body of an error, to find out whether the server ran out of time. */
const MAX_ERROR_BYTES = 16 * 1024;
/** Clocks further apart than this: one of the two is wrong, and so may be every age. */
const MAX_SKEW_MS = 30_000;
/** Longest work without a turn for others, and the most that is read between two looks at the time. */
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

/** Reads the body to its end; between two slices others have a turn. */
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

/** @param date of the answer; a server without one is judged by its time of evaluation, by who reads the samples */
function checkDate(date: unknown, now: number): void {
  const served = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  const skew = Math.abs(served - now);
  if (skew > MAX_SKEW_MS) throw new Refused('clock', `its clock is ${Math.round(skew / 1000)} s from ours`);
}

function unusable(error: unknown): Unusable {
  if (error instanceof Refused) return { kind: 'unusable', why: error.why, detail: error.message };
  if (error instanceof MalformedAnswer) return { kind: 'unusable', why: 'parse', detail: error.message };
  if (isTimeout(error)) return { kind: 'unusable', why: 'timeout', detail: 'no whole answer in time' };
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed';
  return { kind: 'unusable', why: 'http', detail: `no answer: ${code}` };
}

const createAgent = (tls: Credentials['tls']): Agent =>
  new Agent({
    connect: { ...tls, allowH2: false },
    connections: 1, // single flight: the server computes one query of ours at a time
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0, // the deadline is ours
    bodyTimeout: 0,
  });

/** The agent for the certificates at hand; made anew when a file has changed. */
class Agents {
  #tls = '';
  #agent: Agent | undefined;

  for(tls: Credentials['tls']): Agent {
    const text = JSON.stringify(tls);
    if (this.#agent !== undefined && text === this.#tls) return this.#agent;
    this.#agent?.close().catch(() => undefined); // ends with its last query, which nobody waits for here
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
  answer.body.on('error', () => undefined); // whoever reads gets it; nobody may be reading any more
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
 * Nothing is opened before the first query. Redirects are not followed: a token must not travel elsewhere. `time` is not
 * sent: the server evaluates at its own now (failover.md §3.2).
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
