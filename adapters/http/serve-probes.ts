import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createPlainServer } from './plain-server.ts';
import { listenOn } from '../process/listen.ts';
import type { Logger } from '../telemetry/port.ts';

interface ProbesOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Texts for people about what the process still needs to be ready, without values; empty when it is ready. */
  readonly ready: () => readonly string[];
  readonly logger: Pick<Logger, 'info'>;
}

export interface ProbesServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

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
 * Serves `/livez` (the event loop answers; it never calls the API server) and `/readyz` (operator.md A11).
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
  const server = createPlainServer(TIMEOUT_MS, (request, response) => answer(request, response, missing));
  const taken = await listenOn(server, { host, port });
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { port: taken.port, close };
}
