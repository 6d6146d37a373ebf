import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server as PlainServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { listenOn } from '../../adapters/process/listen.ts';
import type { ListenAddress } from '../../core/network/listen-address.ts';

type Server = PlainServer | TlsServer;

/** A bundled provider: a real server, a real bearer token. */
export interface ExampleProvider {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export interface ProviderOptions {
  /** PEM, the certificate for the provider's host; undefined: plain HTTP. */
  readonly tls: { readonly key: string; readonly cert: string } | undefined;
  /** Bearer token that callers must send. */
  readonly token: string;
  /** Default: a free loopback port. */
  readonly listen?: ListenAddress;
}

/** Reports that the process is alive; a kubelet calls it without a token. */
const HEALTH_PATH = '/healthz';

const ANY_LOOPBACK_PORT: ListenAddress = { host: '127.0.0.1', port: 0 };

/** Answers a request with a valid token. A rejection ends the connection. */
type Handler = (request: IncomingMessage) => Promise<{ readonly status: number; readonly body: object }>;

/** Whether the request carries the token. */
export function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Stops listening and closes open connections. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Starts a provider. */
export async function startProviderServer(
  { tls, token, listen = ANY_LOOPBACK_PORT }: ProviderOptions,
  handle: Handler,
): Promise<ExampleProvider> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === HEALTH_PATH) return answerJson(response, 200, { status: 'ok' });
    if (!hasToken(request, token)) return answerJson(response, 401, { error: 'wrong token' });
    const { status, body } = await handle(request);
    return answerJson(response, status, body);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
  const { port } = await listenOn(server, listen);
  return { port, close: () => closeServer(server) };
}
