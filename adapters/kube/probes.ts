import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Logger } from '../telemetry/port.ts';

interface ProbesOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What is missing until the process is ready; empty when it is. Texts for people, without values. */
  readonly ready: () => readonly string[];
  readonly logger: Pick<Logger, 'info'>;
}

interface ProbesServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const MAX_CONNECTIONS = 16;
const TIMEOUT_MS = 5000;

function reply(response: ServerResponse, status: number, lines: readonly string[]): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${lines.join('\n')}\n`);
}

function answer({ url, method }: IncomingMessage, response: ServerResponse, missing: () => readonly string[]): void {
  if (method !== 'GET' && method !== 'HEAD') return reply(response, 405, ['GET only']);
  if (url === '/livez') return reply(response, 200, ['ok']);
  if (url !== '/readyz') return reply(response, 404, ['probes are at /livez and /readyz']);
  const lines = missing();
  return lines.length === 0 ? reply(response, 200, ['ok']) : reply(response, 503, lines);
}

/**
 * Serves `/livez` (the event loop answers; never asks the API server) and `/readyz` (operator.md A11).
 * @throws Error the address can't be listened on
 */
export async function serveProbes({ host, port, ready, logger }: ProbesOptions): Promise<ProbesServer> {
  let last = '';
  const missing = (): readonly string[] => {
    const lines = ready();
    const text = lines.join('; ');
    if (text !== last) logger.info(text === '' ? 'ready' : 'not ready', text === '' ? {} : { missing: text });
    last = text;
    return lines;
  };
  const server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) =>
    answer(request, response, missing),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { port: typeof address === 'object' && address !== null ? address.port : 0, close };
}
