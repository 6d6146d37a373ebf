import type { Socket } from 'node:net';
import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import { addressGroup } from '../../core/network/address-group.ts';

const MOST = 1024;
const PART = 8;

/**
 * Connections that may wait: each has a descriptor, as those that are served have.
 * @param served bound of those that are served; 0: none
 * @returns an eighth of that bound, 1 024 at most
 */
export const mostWaiting = (served: number): number => (served === 0 ? MOST : Math.min(MOST, Math.ceil(served / PART)));

/** After this time a connection has waited for long. */
const LONG_MS = 50;
/** Connections that begin in a turn of the event loop while they have waited for long. */
const MOST_BEGUN = 4;

interface Waiting {
  readonly socket: Socket;
  /** Of a monotonic clock, ms. */
  readonly since: number;
}

export interface WaitingConnectionsOptions {
  /** Serves a connection, which is paused. */
  readonly begin: (socket: Socket) => void;
  /** When more wait, another one begins for each that comes. */
  readonly most: number;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/**
 * New connections begin one by one, each in a turn of the event loop: one may cost a handshake, and bring 64 KiB at once. While
 * they wait for long, up to four begin in a turn. Addresses take turns: a newcomer waits for one connection of each other
 * address at most. Those that wait are not read.
 */
export class WaitingConnections {
  readonly #options: WaitingConnectionsOptions;
  readonly #queue = new FairQueue<Waiting>();
  /** The next ones wait for a turn. */
  #paced = false;

  constructor(options: WaitingConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** @param socket paused: accepted with `pauseOnConnect` */
  add(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    this.#queue.push({ tenant: addressGroup(address), key: address }, { socket, since: this.#options.now() });
    if (this.#paced && this.#queue.size <= this.#options.most) return;
    if (!this.#paced) this.#pace();
    this.#beginNext();
  }

  /** Closes those that wait. */
  close(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next.socket.destroy();
  }

  #pace(): void {
    this.#paced = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#paced = false;
    if (this.#queue.size === 0) return;
    this.#pace();
    let begun = 0;
    do begun += 1;
    while (this.#beginNext() && begun < MOST_BEGUN);
  }

  /** @returns whether it had waited for long */
  #beginNext(): boolean {
    const next = this.#queue.shift();
    if (next === undefined) return false;
    this.#options.begin(next.socket);
    return this.#options.now() - next.since > LONG_MS;
  }
}
