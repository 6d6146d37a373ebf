import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http';
import { createServer, type Server as TlsServer } from 'node:https';

type Server = PlainServer | TlsServer;

/** A bundled provider: real HTTPS on loopback, a real bearer token. */
export interface ExampleProvider {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export interface ProviderOptions {
  /** PEM. */
  readonly key: string;
  /** PEM, for the provider's host. */
  readonly cert: string;
  /** Bearer token that callers must send. */
  readonly token: string;
}

/** What a provider answers to whoever sent the token. A rejection ends the connection. */
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

/** Listens on a free loopback port. @returns its number */
export const listenOnLoopback = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

/** Stops listening and ends what is still open. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Starts a provider on a free loopback port. */
export async function startProviderServer(options: ProviderOptions, handle: Handler): Promise<ExampleProvider> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!hasToken(request, options.token)) return answerJson(response, 401, { error: 'wrong token' });
    const { status, body } = await handle(request);
    return answerJson(response, status, body);
  };
  const server = createServer({ key: options.key, cert: options.cert }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return { port: await listenOnLoopback(server), close: () => closeServer(server) };
}
