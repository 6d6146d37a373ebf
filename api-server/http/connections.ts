import type { Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../adapters/time/clock.ts';

/** What can still be said on a connection whose bytes can't be parsed any more. */
export type Standing =
  /** Nothing is in flight, or only the request that broke. */
  | 'answerable'
  /** Earlier requests are whole and get their answers. */
  | 'busy'
  /** An answer to the broken request has begun. */
  | 'begun';

/** The connections of a server with their open answers; owned by `server.ts`. */
export class Connections {
  readonly #open = new Map<Duplex, Set<ServerResponse>>();

  add(socket: Duplex): void {
    this.#open.set(socket, new Set());
    socket.once('close', () => this.#open.delete(socket));
  }

  begin(socket: Duplex, response: ServerResponse): void {
    this.#open.get(socket)?.add(response);
  }

  end(socket: Duplex, response: ServerResponse): void {
    this.#open.get(socket)?.delete(response);
  }

  standing(socket: Duplex): Standing {
    const answers = [...(this.#open.get(socket) ?? [])];
    if (answers.length === 0) return 'answerable';
    if (answers.every((response) => response.req.complete)) return 'busy';
    return answers.length === 1 && answers.every((response) => !response.headersSent) ? 'answerable' : 'begun';
  }

  /** Closes a connection after the answers that are under way. */
  closeAfterAnswers(socket: Duplex): void {
    const answers = [...(this.#open.get(socket) ?? [])];
    let left = answers.length;
    for (const response of answers) {
      response.once('close', () => {
        left -= 1;
        if (left === 0) socket.destroy();
      });
    }
  }

  /** Closes the connections that wait for a next request. */
  closeIdle(): void {
    for (const [socket, answers] of this.#open) if (answers.size === 0) socket.destroy();
  }

  get size(): number {
    return this.#open.size;
  }
}

/**
 * Graceful stop: no new connections, idle ones closed, requests in flight end. After `timeoutMs` the rest is cut.
 * @returns how many connections were cut
 */
export async function drainServer(
  server: Server | SecureServer,
  connections: Connections,
  clock: Clock,
  timeoutMs: number,
): Promise<number> {
  const ended = new AbortController();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  connections.closeIdle();
  let cut = 0;
  const deadline = async (): Promise<void> => {
    try {
      await clock.sleep(timeoutMs, ended.signal);
    } catch {
      return; // everything ended in time
    }
    cut = connections.size;
    server.closeAllConnections();
  };
  const watch = deadline();
  await closed;
  ended.abort();
  await watch;
  return cut;
}
