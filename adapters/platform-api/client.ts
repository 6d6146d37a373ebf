import {
  Agent as PlainAgent,
  request as plainRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { isTimeout } from '../kube/within.ts';
import type { Clock } from '../time/clock.ts';

/** A call of an own server. */
export interface PlatformRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless a header names another type. */
  readonly body?: string;
}

/** What came back; the time is that of the whole exchange, ms. */
export type PlatformAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingMessage['headers'];
      readonly body: Buffer;
      readonly ms: number;
    }
  | { readonly kind: 'failed'; readonly code: 'timeout' | 'unreachable'; readonly ms: number };

export interface PlatformClientOptions {
  /** https, or http on loopback. */
  readonly origin: string;
  /** Read for every call, so that a token that was replaced is used; absent: no credentials are sent. */
  readonly token?: () => Promise<string>;
  /** PEM of the authorities to trust, in place of those of the system; read for every call. Undefined: those of the system. */
  readonly ca?: () => Promise<string | undefined>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Largest answer, bytes; default 1 MiB. */
  readonly maxBytes?: number;
}

/**
 * Calls one server of the platform as any caller would. Calls that follow each other share a connection, as those of one
 * round of checks; a connection without a request for a second is closed, so the next round opens a new one.
 */
export interface PlatformClient {
  /** Never rejects; the signal ends the call. */
  readonly call: (request: PlatformRequest, signal: AbortSignal) => Promise<PlatformAnswer>;
}

const MAX_BYTES = 1_048_576;
/** Shorter than servers keep an idle connection: a request never meets one that its server has just closed. */
const IDLE_MS = 1000;

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function headersOf({ headers, body }: PlatformRequest, token: string | undefined): Promise<OutgoingHttpHeaders> {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...headers,
  };
}

export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { origin, token, ca, clock, maxBytes = MAX_BYTES } = options;
  const isTls = origin.startsWith('https:');
  const agent = new (isTls ? TlsAgent : PlainAgent)({ keepAlive: true, timeout: IDLE_MS });

  const exchange = async (request: PlatformRequest, signal: AbortSignal): Promise<IncomingMessage> => {
    const headers = await headersOf(request, await token?.());
    const authorities = isTls ? await ca?.() : undefined;
    const { method, path, body } = request;
    const about = { method, headers, signal, agent, ...(authorities === undefined ? {} : { ca: authorities }) };
    return new Promise((resolve, reject) => {
      const sent = (isTls ? tlsRequest : plainRequest)(new URL(path, origin), about, resolve);
      sent.once('error', reject).end(body);
    });
  };

  return {
    call: async (request, signal) => {
      const startedAt = clock.monotonic();
      const ms = (): number => clock.monotonic() - startedAt;
      try {
        const answer = await exchange(request, signal);
        const body = await bodyOf(answer, maxBytes);
        return { kind: 'answered', status: answer.statusCode ?? 0, headers: answer.headers, body, ms: ms() };
      } catch (error) {
        const isLate = signal.aborted || isTimeout(error);
        return { kind: 'failed', code: isLate ? 'timeout' : 'unreachable', ms: ms() };
      }
    },
  };
}
