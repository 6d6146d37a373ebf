import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionPlaces, type Place } from './connection-places.ts';
import { PipelineQueue } from './pipeline-queue.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A scraper or a kubelet has one connection; a few people may connect as well. All share the bound. */
const CONNECTIONS = { together: 16, perAddress: 0 };
const WAITING = { perConnection: 4, together: 16 };

interface Placing {
  readonly accept: (socket: Socket) => void;
  readonly begin: (socket: Socket, response: ServerResponse) => void;
}

/** The connections of a server: a new one takes the place of the longest idle one. */
function placing(): Placing {
  const places = new ConnectionPlaces(CONNECTIONS, () => undefined);
  const held = new WeakMap<Socket, { readonly place: Place; open: number }>();
  const accept = (socket: Socket): void => {
    const place = places.take('', false, { close: () => socket.destroy(), isReceiving: () => false });
    if (place === undefined) {
      socket.destroy();
      return;
    }
    held.set(socket, { place, open: 0 });
    socket.once('close', () => place.release());
  };
  const begin = (socket: Socket, response: ServerResponse): void => {
    const connection = held.get(socket);
    if (connection === undefined) return;
    connection.open += 1;
    connection.place.busy();
    // The next request of a connection begins before this listener runs.
    response.once('close', () => {
      connection.open -= 1;
      if (connection.open === 0) connection.place.rest();
    });
  };
  return { accept, begin };
}

/**
 * A server for metrics or probes, not listening yet. It has few connections, and each answers one request after the
 * other. A connection without traffic is closed, at once if another one needs its place.
 * @param timeoutMs for the headers, the request, and any time without a byte in either direction
 */
export function createPlainServer(timeoutMs: number, answer: Answer): Server {
  const turns = new PipelineQueue(WAITING);
  const placed = placing();
  const begin: Answer = (request, response) => {
    placed.begin(request.socket, response);
    answer(request, response);
  };
  const take: Answer = (request, response) => turns.take(request.socket, response, () => begin(request, response));
  // Node itself answers a request without Host, or with an unknown expectation, and would do so outside the turns.
  const server = createServer({ requestTimeout: timeoutMs, headersTimeout: timeoutMs, requireHostHeader: false }, take);
  server.on('checkExpectation', ({ socket }, response) =>
    turns.take(socket, response, () => response.writeHead(417).end()),
  );
  server.on('connection', placed.accept);
  server.timeout = timeoutMs;
  return server;
}
