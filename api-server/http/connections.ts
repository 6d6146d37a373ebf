import type { Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { PipelineQueue } from '../../adapters/http/pipeline-queue.ts';
import type { Clock } from '../../adapters/time/clock.ts';

/** Which answer is still possible on a connection after bytes that can't be parsed. */
export type AnswerState =
  /** No request is in flight, or only the broken one. */
  | 'answerable'
  /** Earlier requests are complete and get their answers. */
  | 'busy'
  /** An answer to the broken request has begun. */
  | 'begun';

/** The connections of a server with their open answers. `server.ts` owns them. */
export class Connections {
  readonly #open = new Map<Duplex, Set<ServerResponse>>();
  readonly #turns: Pick<PipelineQueue, 'waiting'>;

  constructor(turns: Pick<PipelineQueue, 'waiting'>) {
    this.#turns = turns;
  }

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

  standing(socket: Duplex): AnswerState {
    const answers = this.#answers(socket);
    if (answers.length === 0) return 'answerable';
    if (answers.every((response) => response.req.complete)) return 'busy';
    return answers.length === 1 && answers.every((response) => !response.headersSent) ? 'answerable' : 'begun';
  }

  /** Closes a connection after its open answers. */
  closeAfterAnswers(socket: Duplex): void {
    const answers = this.#answers(socket);
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

  /** The open answers of a connection and those whose requests wait, in order. */
  #answers(socket: Duplex): readonly ServerResponse[] {
    return [...(this.#open.get(socket) ?? []), ...this.#turns.waiting(socket)];
  }
}

/**
 * Graceful stop: new connections are refused, idle ones are closed, and requests in flight end. After `timeoutMs` the
 * remaining connections are cut.
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
