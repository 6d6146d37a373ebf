import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Bounds on requests that wait behind an open answer of their connection. */
export interface WaitingLimits {
  readonly perConnection: number;
  /** Limit over all connections: a waiting request holds some 2 KB. One a connection may always wait. */
  readonly together: number;
}

interface Turn {
  readonly response: ServerResponse;
  readonly serve: () => void;
}

/**
 * Serves the requests of a connection one after the other (RFC 9112 §9.3.2). Each is served when the answer before it
 * was handed to the system. A client that pipelines and never reads thus holds one answer, however much it sends.
 *
 * While a request waits, its connection is not read. Node still parses the bytes that it has read already: up to 64 KiB
 * in one piece, some 2 000 requests. A connection with more waiting requests than the limit is closed. Its client must
 * repeat requests that were not answered.
 */
export class PipelineQueue {
  readonly #limits: WaitingLimits;
  readonly #cut: () => void;
  /** Waiting requests by connection; an entry exists while an answer is open. Owned by `take`. */
  readonly #lines = new Map<Duplex, Turn[]>();
  #waiting = 0;

  /** @param cut called when a connection is closed because too many requests wait */
  constructor(limits: WaitingLimits, cut: () => void = () => undefined) {
    this.#limits = limits;
    this.#cut = cut;
  }

  /**
   * Calls `serve` when it is this request's turn: at once when the connection has no open answer. Never calls it if the
   * connection closes first.
   */
  take(socket: Socket, response: ServerResponse, serve: () => void): void {
    if (socket.destroyed) return;
    const line = this.#lines.get(socket);
    if (line === undefined) {
      this.#lines.set(socket, []);
      this.#begin(socket, { response, serve });
    } else if (this.#isFull(line)) {
      this.#cut();
      this.#forget(socket);
      socket.destroy();
    } else {
      line.push({ response, serve });
      this.#waiting += 1;
      if (line.length === 1) socket.pause();
    }
  }

  /** A stranger who fills the common bound takes nothing from a connection with one waiting request. */
  #isFull({ length }: readonly Turn[]): boolean {
    const { perConnection, together } = this.#limits;
    return length >= perConnection || (length > 0 && this.#waiting >= together);
  }

  /** Answers of this connection that have not had their turn, in order. */
  waiting(socket: Duplex): readonly ServerResponse[] {
    return (this.#lines.get(socket) ?? []).map(({ response }) => response);
  }

  #begin(socket: Socket, { response, serve }: Turn): void {
    // Also emitted when the connection closes.
    response.once('close', () => this.#next(socket));
    serve();
  }

  #next(socket: Socket): void {
    const turn = socket.destroyed ? undefined : this.#lines.get(socket)?.shift();
    if (turn === undefined) return this.#forget(socket);
    this.#waiting -= 1;
    if (this.#lines.get(socket)?.length === 0) socket.resume();
    this.#begin(socket, turn);
  }

  #forget(socket: Socket): void {
    this.#waiting -= this.#lines.get(socket)?.length ?? 0;
    this.#lines.delete(socket);
  }
}
