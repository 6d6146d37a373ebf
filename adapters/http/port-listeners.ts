import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { ListenAddress } from '../../core/network/listen-address.ts';
import { listenOn } from '../process/listen.ts';
import { WaitingConnections } from './waiting-connections.ts';

/**
 * Listeners of one port. Node accepts one connection of a listener in each turn of the event loop: with a single one, a
 * caller would wait a second behind 500 connections that a stranger opened at once, for turns of 2 ms.
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

/** What accepts the connections of a server for HTTP. */
export class PortListeners {
  readonly #server: HttpServer | HttpsServer;
  readonly #more: Server[] = [];
  /** What the further listeners have accepted. */
  readonly #waiting: WaitingConnections;
  #closing: Promise<void> | undefined;

  /** @param server not listening yet */
  constructor(server: HttpServer | HttpsServer) {
    this.#server = server;
    this.#waiting = new WaitingConnections((socket) => this.#begin(socket));
  }

  /** @returns the address, with the actual port. @throws Error the address can't be listened on */
  async listen(address: ListenAddress): Promise<ListenAddress> {
    if (!IS_SPREAD) return listenOn(this.#server, address);
    if (address.port !== 0) await checkUnused(address);
    const taken = await listenOn(this.#server, address, { reusePort: true });
    const bound = this.#server.address();
    // A name may have several addresses: all listeners have that of the first.
    const host = typeof bound === 'object' && bound !== null ? bound.address : taken.host;
    for (let count = 1; count < LISTENERS; count += 1) if (!(await this.#add({ ...taken, host }))) break;
    return taken;
  }

  /** Accepts no further connection. Resolves when all connections are closed. */
  close(): Promise<void> {
    this.#waiting.close();
    this.#closing ??= Promise.all([this.#server, ...this.#more].map(closed)).then(() => undefined);
    return this.#closing;
  }

  /** @returns false: the system gives no further listener. Those that there are accept all connections. */
  async #add(address: ListenAddress): Promise<boolean> {
    // As Node's HTTP servers accept them.
    const listener = createServer({
      allowHalfOpen: !(this.#server instanceof TlsServer),
      noDelay: true,
      pauseOnConnect: true,
    });
    listener.on('connection', (socket: Socket) => this.#waiting.add(socket));
    try {
      await listenOn(listener, address, { reusePort: true });
    } catch {
      return false;
    }
    this.#more.push(listener);
    return true;
  }

  #begin(socket: Socket): void {
    this.#server.emit('connection', socket);
    socket.resume();
  }
}
