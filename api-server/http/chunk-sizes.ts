import type { IncomingMessage } from 'node:http';
import { ignoreBody } from '../../adapters/http/ignore-body.ts';

/** Chunks that a body may have of any size; of more chunks the mean size counts. */
const FREE_CHUNKS = 1024;
const LEAST_MEAN_BYTES = 64;

/** The chunks of one body. A stranger may send single bytes, and each chunk costs as much as a large one. */
export class ChunkSizes {
  #chunks = 0;
  #bytes = 0;

  /** @returns false: there are many chunks, and they are too small */
  add(bytes: number): boolean {
    this.#chunks += 1;
    this.#bytes += bytes;
    return this.#chunks <= FREE_CHUNKS || this.#bytes >= LEAST_MEAN_BYTES * this.#chunks;
  }
}

/** Ends a request whose chunks are too small. It gets no answer: until it read one, it would send on. */
export function cutSmallChunks(request: IncomingMessage): void {
  ignoreBody(request.socket);
  request.destroy();
}
