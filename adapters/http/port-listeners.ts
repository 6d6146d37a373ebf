import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { ListenAddress } from '../../core/network/listen-address.ts';
import { listenOn } from '../process/listen.ts';
import { mostWaiting, WaitingConnections } from './waiting-connections.ts';

/**
 * Listeners of one port. Node accepts one connection of a listener in each turn of the event loop, in the order in which they
 * came: with a single one, a caller would wait a second behind 500 connections that a stranger opened at once, for turns of 2
 * ms. What is accepted begins at the pace of `WaitingConnections`.
 */
const LISTENERS = 16;
/** The system spreads new connections over the listeners of a port; others than Linux give all to the last one. */
const IS_SPREAD = process.platform === 'linux';

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const end = once(server, 'close');
  server.close();
  await end;
}

/**
 * Fails where another program listens already: the system would let those of one user share the port. It does not see one
 * that starts within the same milliseconds.
 */
async function checkUnused(address: ListenAddress): Promise<void> {
  const probe = createServer();
  await listenOn(probe, address);
  await closed(probe);
}

/** What accepts the connections of a server for HTTP, which does not listen itself. */
export class PortListeners {
  readonly #server: HttpServer | HttpsServer;
  readonly #listeners: Server[] = [];
  readonly #waiting: WaitingConnections;
  #closing: Promise<void> | undefined;

  /** @param most connections that are accepted and have not begun, before their pace gives way */
  constructor(server: HttpServer | HttpsServer, most = mostWaiting(0)) {
    this.#server = server;
    this.#waiting = new WaitingConnections({
      begin: (socket) => this.#begin(socket),
      most,
      now: () => performance.now(),
    });
  }

  /** Connections that have not begun. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @returns the address, with the actual port. @throws Error the address can't be listened on */
  async listen(address: ListenAddress): Promise<ListenAddress> {
    if (!IS_SPREAD) return this.#add(address);
    if (address.port !== 0) await checkUnused(address);
    const taken = await this.#add(address);
    const bound = this.#listeners[0]?.address();
    // A name may have several addresses: all listeners have that of the first.
    const host = typeof bound === 'object' && bound !== null ? bound.address : taken.host;
    for (let count = 1; count < LISTENERS; count += 1) if (!(await this.#addFurther({ ...taken, host }))) break;
    return taken;
  }

  /** Accepts no further connection, and resets those that have not begun. Resolves when all connections are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#waiting.close();
    // Closes connections between two requests, and ends the checks that `listening` began.
    this.#server.close();
    await Promise.all(this.#listeners.map(closed));
  }

  async #add(address: ListenAddress): Promise<ListenAddress> {
    // As Node's HTTP servers accept them, but paused.
    const allowHalfOpen = !(this.#server instanceof TlsServer);
    const listener = createServer({ allowHalfOpen, noDelay: true, pauseOnConnect: true });
    listener.on('connection', (socket: Socket) => this.#waiting.add(socket));
    const taken = await listenOn(listener, address, { reusePort: IS_SPREAD });
    if (this.#closing !== undefined) {
      listener.close();
      throw new Error('closed while it began to listen');
    }
    this.#listeners.push(listener);
    // Node checks for slow headers and requests once its server listens.
    if (this.#listeners.length === 1) this.#server.emit('listening');
    return taken;
  }

  /** @returns false: the system gives no further listener. Those that there are accept all connections. */
  async #addFurther(address: ListenAddress): Promise<boolean> {
    try {
      await this.#add(address);
      return true;
    } catch {
      return false;
    }
  }

  #begin(socket: Socket): void {
    this.#server.emit('connection', socket);
    socket.resume();
  }
}
