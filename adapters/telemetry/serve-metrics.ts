import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Metrics } from './metrics.ts';
import type { Logger } from './port.ts';

export interface MetricsServer {
  /** The port that it listens on. */
  readonly port: number;
  readonly close: () => Promise<void>;
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** Prometheus scrapes with one connection; a few people may look as well. */
const MAX_CONNECTIONS = 16;
const TIMEOUT_MS = 10_000;

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: Pick<Metrics, 'slices'>,
): Promise<void> {
  if (request.url !== '/metrics') return refuse(response, 404, 'metrics are at /metrics');
  if (request.method !== 'GET') return refuse(response, 405, 'GET only');
  response.writeHead(200, { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' });
  return pipeline(Readable.from(metrics.slices()), response);
}

/** A scraper that went away is its own business. */
const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ECONNRESET');

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Serves `GET /metrics` on a port of its own, never on the API's (security.md S25).
 * @param listen port 0 takes a free one
 * @throws Error the address can't be listened on
 */
export async function serveMetrics(
  listen: { readonly host: string; readonly port: number },
  metrics: Pick<Metrics, 'slices'>,
  logger: Pick<Logger, 'warn'>,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
    answer(request, response, metrics).catch((error: unknown) => {
      if (!isGone(error)) logger.warn('a scrape failed', { error });
      response.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(listen.port, listen.host);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, 'close');
  };
  return { port: portOf(server), close };
}
