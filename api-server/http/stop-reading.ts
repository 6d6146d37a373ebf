import type { IncomingMessage } from 'node:http';
import { ignoreBody } from '../../adapters/http/ignore-body.ts';
import { freeBytes } from '../../adapters/memory/free-bytes.ts';

/**
 * Reads nothing more of a request and its connection, which serves no other request; what has been read is dropped. No
 * bound counts bytes that a stopped request would still read.
 *
 * Node lets the connection flow again in a later tick, after a read and after data that it has handed over. So each time it
 * flows it is paused at once: no byte arrives in between.
 */
export function stopReading(request: IncomingMessage): void {
  const { socket } = request;
  request.pause();
  ignoreBody(socket);
  socket.on('resume', () => socket.pause());
  socket.pause();
  while (request.readableLength > 0) {
    const chunk: unknown = request.read();
    if (chunk instanceof Uint8Array) freeBytes(chunk);
  }
}
