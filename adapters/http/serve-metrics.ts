import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../core/errors/error-code.ts';
import type { ListenAddress } from '../../core/network/listen-address.ts';
import { createPlainServer } from './plain-server.ts';
import { listenOn } from '../process/listen.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Logger } from '../telemetry/port.ts';

export interface MetricsServer {
  /** The port that the server listens on. */
  readonly port: number;
  readonly close: () => Promise<void>;
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
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

/** The scraper closed its connection, which is not an error of ours. */
const isGone = (error: unknown): boolean =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(errorCode(error) ?? '');

/**
 * Serves `GET /metrics` on a port of its own, never on the API's (security.md S25).
 * @param listen port 0 means any free port
 * @throws Error the address can't be listened on
 */
export async function serveMetrics(
  listen: ListenAddress,
  metrics: Pick<Metrics, 'slices'>,
  logger: Pick<Logger, 'warn'>,
): Promise<MetricsServer> {
  const server = createPlainServer(TIMEOUT_MS, (request, response) => {
    answer(request, response, metrics).catch((error: unknown) => {
      if (!isGone(error)) logger.warn('a scrape failed', { error });
      response.destroy();
    });
  });
  const { port } = await listenOn(server, listen);
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, 'close');
  };
  return { port, close };
}
