import type { Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ConnectionPlaces, Place } from '../../adapters/http/connection-places.ts';
import type { PipelineQueue } from '../../adapters/http/pipeline-queue.ts';
import type { PortListeners } from '../../adapters/http/port-listeners.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { addressGroup } from '../../core/network/address-group.ts';
import type { ClientAddresses } from './client-address.ts';

/** Which answer is still possible on a connection after bytes that can't be parsed. */
export type AnswerState =
  /** No request is in flight, or only the broken one. */
  | 'answerable'
  /** Earlier requests are complete and get their answers. */
  | 'busy'
  /** An answer to the broken request has begun. */
  | 'begun';

interface Connection {
  /** What the system accepted; below TLS. */
  readonly socket: Socket;
  readonly place: Place;
  readonly answers: Set<ServerResponse>;
}

export interface ConnectionsOptions {
  readonly turns: Pick<PipelineQueue, 'waiting'>;
  readonly places: ConnectionPlaces;
  readonly isOwn: ClientAddresses['isOwn'];
}

/** Unique among the open connections of a port. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** The connections of a server with their open answers. `server.ts` owns them. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #all = new Set<Connection>();
  /** By the socket of their requests. */
  readonly #open = new Map<Duplex, Connection>();
  /** By peer, until TLS has made the socket of their requests. */
  readonly #handshakes = new Map<string, Connection>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** A connection without TLS. It is closed when there is no place for it. */
  add(socket: Socket): void {
    const connection = this.#accept(socket);
    if (connection === undefined) return;
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** A connection whose TLS has not begun. Its place is taken now: a handshake costs memory and time. */
  addBelowTls(socket: Socket): void {
    const connection = this.#accept(socket);
    if (connection === undefined) return;
    const peer = peerOf(socket);
    this.#handshakes.set(peer, connection);
    socket.once('close', () => {
      if (this.#handshakes.get(peer) === connection) this.#handshakes.delete(peer);
    });
  }

  /** The handshake of a connection is done. */
  secure(socket: TLSSocket): void {
    const peer = peerOf(socket);
    const connection = this.#handshakes.get(peer);
    if (connection === undefined) {
      socket.destroy();
      return;
    }
    this.#handshakes.delete(peer);
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
  }

  begin(socket: Duplex, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    if (connection.answers.size === 0) connection.place.busy();
    connection.answers.add(response);
  }

  end(socket: Duplex, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (connection?.answers.delete(response) === true && connection.answers.size === 0) connection.place.rest();
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
    for (const { socket, answers } of this.#all) if (answers.size === 0) socket.destroy();
  }

  get size(): number {
    return this.#all.size;
  }

  /** The open answers of a connection and those whose requests wait, in order. */
  #answers(socket: Duplex): readonly ServerResponse[] {
    return [...(this.#open.get(socket)?.answers ?? []), ...this.#options.turns.waiting(socket)];
  }

  #accept(socket: Socket): Connection | undefined {
    const { places, isOwn } = this.#options;
    const peer = socket.remoteAddress ?? '';
    const answers = new Set<ServerResponse>();
    const place = places.take(addressGroup(peer), isOwn(peer), {
      close: () => socket.destroy(),
      isReceiving: () => [...answers].every(({ req }) => !req.complete),
    });
    if (place === undefined) {
      socket.destroy();
      return undefined;
    }
    const connection: Connection = { socket, place, answers };
    this.#all.add(connection);
    socket.once('close', () => {
      this.#all.delete(connection);
      place.release();
    });
    return connection;
  }
}

/**
 * Graceful stop: new connections are refused, those that have not begun are reset, idle ones are closed, and requests in
 * flight end. After `timeoutMs` the remaining connections are cut.
 * @returns how many connections were cut
 */
export async function drainServer(
  server: Server | SecureServer,
  { listeners, connections }: { readonly listeners: Pick<PortListeners, 'close'>; readonly connections: Connections },
  clock: Clock,
  timeoutMs: number,
): Promise<number> {
  const ended = new AbortController();
  const closed = listeners.close();
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
