import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { PipelineQueue } from './pipeline-queue.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A scraper or a kubelet has one connection; a few people may connect as well. */
const MAX_CONNECTIONS = 16;
const WAITING = { perConnection: 4, together: 16 };

/**
 * A server for metrics or probes, not listening yet. It has few connections, and each answers one request after the
 * other. A connection without traffic is closed.
 * @param timeoutMs for the headers, the request, and any time without a byte in either direction
 */
export function createPlainServer(timeoutMs: number, answer: Answer): Server {
  const turns = new PipelineQueue(WAITING);
  const take: Answer = (request, response) => turns.take(request.socket, response, () => answer(request, response));
  // Node itself answers a request without Host, or with an unknown expectation, and would do so outside the turns.
  const server = createServer({ requestTimeout: timeoutMs, headersTimeout: timeoutMs, requireHostHeader: false }, take);
  server.on('checkExpectation', ({ socket }, response) =>
    turns.take(socket, response, () => response.writeHead(417).end()),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = timeoutMs;
  return server;
}
