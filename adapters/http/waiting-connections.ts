import type { Socket } from 'node:net';
import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import { addressGroup } from '../../core/network/address-group.ts';

/** More would hold memory for nothing: then another one begins for each that is accepted. */
const MOST = 4096;

/**
 * New connections that begin one in a turn of the event loop: each may cost a handshake, and bring 64 KiB at once. Addresses
 * take turns, so that nobody waits behind the connections of another address. Those that wait are not read.
 */
export class WaitingConnections {
  readonly #begin: (socket: Socket) => void;
  readonly #most: number;
  readonly #queue = new FairQueue<Socket>();
  /** One has begun in this turn. */
  #begun = false;

  /**
   * @param begin serves a connection, which is paused
   * @param most that wait. Default: 4 096
   */
  constructor(begin: (socket: Socket) => void, most = MOST) {
    this.#begin = begin;
    this.#most = most;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** @param socket paused: accepted with `pauseOnConnect` */
  add(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    this.#queue.push({ tenant: addressGroup(address), key: address }, socket);
    if (!this.#begun) {
      this.#begun = true;
      setImmediate(() => this.#turn());
      this.#next();
    } else if (this.#queue.size > this.#most) this.#next();
  }

  /** Closes those that wait. */
  close(): void {
    for (let socket = this.#queue.shift(); socket !== undefined; socket = this.#queue.shift()) socket.destroy();
  }

  #turn(): void {
    this.#begun = this.#queue.size > 0;
    if (!this.#begun) return;
    setImmediate(() => this.#turn());
    this.#next();
  }

  #next(): void {
    const socket = this.#queue.shift();
    if (socket !== undefined) this.#begin(socket);
  }
}
