import type { IncomingMessage } from 'node:http';
import { ignoreBody } from '../../adapters/http/ignore-body.ts';
import { freeBytes } from '../../adapters/memory/free-bytes.ts';

/**
 * Reads nothing more of a request and its connection, which serves no other request; what has been read is dropped. No
 * bound counts bytes that a stopped request would still read.
 *
 * To read from a request lets its connection flow in the next tick, so the connection is paused after that tick: no byte
 * arrives in between.
 */
export function stopReading(request: IncomingMessage): void {
  request.pause();
  ignoreBody(request.socket);
  while (request.readableLength > 0) {
    const chunk: unknown = request.read();
    if (chunk instanceof Uint8Array) freeBytes(chunk);
  }
  process.nextTick(() => request.socket.pause());
}
