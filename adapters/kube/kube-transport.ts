import { Agent, buildConnector } from 'undici';
import type { Connection } from './connection.ts';

/** One HTTP exchange with the API server. */
export interface KubeExchange {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With query, below the server's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The caller must read it to its end, or abort the signal. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The sockets to one API server. It knows nothing of Kubernetes: the client adds credentials and deadlines and
 * interprets answers.
 */
export interface Transport {
  /** Resolves when the header of the answer has arrived. @param lane watches never use the sockets of calls */
  readonly send: (exchange: KubeExchange, lane: 'calls' | 'watches', signal: AbortSignal) => Promise<Answer>;
  /** Closes every connection at once. */
  readonly destroy: () => Promise<void>;
}

const CALL_SOCKETS = 64;
// The default of undici is 60 s. After this delay Node probes ten times, a second apart, so a dead path is found in 30
// s (operator.md A3).
const KEEP_ALIVE_DELAY_MS = 20_000;
const CONNECT_MS = 10_000;
// Below the 90 s after which the API server closes an idle connection.
const IDLE_MS = 30_000;

function tlsOf({ ca, serverName, insecure, clientCertificate }: Connection): buildConnector.BuildOptions {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
    ...clientCertificate,
  };
}

function createAgent(connection: Connection, connections: number | null): Agent {
  return new Agent({
    connect: {
      ...tlsOf(connection),
      allowH2: false,
      timeout: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
    },
    connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: 0, // the caller has deadlines and watchdogs
    bodyTimeout: 0,
  });
}

/** @param connection its address, certificates and headers; nothing is opened before the first exchange */
export function createTransport(connection: Connection): Transport {
  const { origin, pathname } = new URL(connection.server);
  const base = pathname.replace(/\/$/, '');
  const agents = { calls: createAgent(connection, CALL_SOCKETS), watches: createAgent(connection, null) };
  const send: Transport['send'] = async ({ method, path, headers, body }, lane, signal) => {
    const answer = await agents[lane].request({
      origin,
      path: base + path,
      method,
      headers: { ...headers, ...connection.headers },
      ...(body === undefined ? {} : { body }),
      signal,
    });
    answer.body.on('error', () => undefined); // a reader gets it too; there may be no reader any more
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      body: answer.body,
    };
  };
  const destroy = async (): Promise<void> => {
    await Promise.all([agents.calls.destroy(), agents.watches.destroy()]);
  };
  return { send, destroy };
}
