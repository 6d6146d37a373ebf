import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

/** A request as the server received it. */
export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Port of its connection: equal for requests over the same connection. */
  readonly port: number;
}

/** The server's end of one exchange. */
export interface Reply {
  readonly json: (status: number, body: unknown, headers?: Readonly<Record<string, string>>) => void;
  /** Sends the header (200) and keeps the answer open. */
  readonly open: () => void;
  readonly write: (chunk: string | Uint8Array) => void;
  readonly end: () => void;
  /** Ends the connection by RST. */
  readonly reset: () => void;
  /** Resolves when the client closed the connection. */
  readonly closed: Promise<void>;
}

/** An API server that the test controls, over plain HTTP on loopback. */
export interface FakeApiServer {
  readonly url: string;
  readonly requests: readonly ServedRequest[];
  /** Highest number of requests that were open at once. */
  readonly mostOpen: () => number;
  readonly connections: () => number;
  /** Answers every request until another function is set. A function that does not answer simulates a frozen server. */
  answer: (request: ServedRequest, reply: Reply) => void | Promise<void>;
  readonly close: () => Promise<void>;
}

async function served(incoming: IncomingMessage): Promise<ServedRequest> {
  let body = '';
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) body += String(chunk);
  const url = new URL(incoming.url ?? '/', 'http://fake');
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: incoming.headers,
    body,
    port: incoming.socket.remotePort ?? 0,
  };
}

function replyOn(response: ServerResponse): Reply {
  const closed = once(response, 'close').then(() => undefined);
  const socket = response.socket;
  response.on('error', () => undefined);
  return {
    json: (status, body, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    },
    open: () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
    },
    write: (chunk) => void response.write(chunk),
    end: () => void response.end(),
    reset: () => void socket?.resetAndDestroy(),
    closed,
  };
}

/** By default answers with an empty list at version 1. */
export async function startFakeApiServer(): Promise<FakeApiServer> {
  const requests: ServedRequest[] = [];
  const sockets = new Set<Socket>();
  let [open, most, connections] = [0, 0, 0];
  const server = createServer((incoming, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => (open -= 1));
    served(incoming)
      .then((request) => {
        requests.push(request);
        return fake.answer(request, replyOn(response));
      })
      .catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listenOnLoopback(server);
  const fake: FakeApiServer = {
    url: `http://127.0.0.1:${port}`,
    requests,
    mostOpen: () => most,
    connections: () => connections,
    answer: (_request, reply) => reply.json(200, { metadata: { resourceVersion: '1' }, items: [] }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

/** A `Status` that the API server returns for a refusal. */
export const statusBody = (
  code: number,
  reason: string,
  details: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  message: `said ${reason}`,
  code,
  reason,
  details,
});
