import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket, type SecureContext } from 'node:tls';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import { ConnectWatch } from './connect-fault.ts';
import { blocked, EgressFault } from './faults.ts';
import { guardedAddresses, configuredAddresses, type Resolve } from './lookup.ts';
import { createTlsSessions } from './tls.ts';

/** Where the connections of one agent go. `guarded` is all traffic without an allow rule or a stub. */
export type Target =
  | { readonly kind: 'guarded' }
  | { readonly kind: 'allow' }
  | { readonly kind: 'stub'; readonly address: string; readonly port: number };

export interface ConnectorDeps {
  readonly resolve: Resolve;
  /**
   * Whether an address may be dialled: `allowed` of ranges.ts. Checked for the answer of DNS, and again for the peer.
   */
  readonly allowed: (ip: string) => boolean;
  /** Trust and protocol versions; called at the first connection. */
  readonly context: () => SecureContext;
}

/** Facts about the connection whose bytes are being read, for its exchange. */
export interface Reading {
  /** The bytes now in the parser came over an HTTP/1.0 connection. */
  http10: boolean;
}

/** Limit of DNS, TCP and TLS together, for the agent; an Orb may set less (failover.md §12.1). */
export const MAX_CONNECT_MS = 3000;
const TCP_KEEP_ALIVE_MS = 60_000;
const VERSION_BYTES = 'HTTP/1.0'.length;

function lookupFor({ kind }: Target, { resolve, allowed }: ConnectorDeps): LookupFunction {
  const find = callbackify((host: string) =>
    kind === 'guarded' ? guardedAddresses(host, resolve, allowed) : configuredAddresses(host, resolve),
  );
  return (host, options, callback) => {
    find(host, (error, found) => {
      if (error !== null) return callback(error, '');
      if (options.all === true) return callback(null, [...found]);
      const [first] = found;
      return callback(null, first?.address ?? '', first?.family);
    });
  };
}

/**
 * undici doesn't report the version of an answer, and a body without a length is complete only in HTTP/1.0 (security.md
 * §3.3). Reading and parsing are one synchronous step, so the last bytes read are the ones being parsed. The first
 * bytes of a connection decide its version.
 */
function watchVersion(socket: Socket, reading: Reading): void {
  const read = socket.read.bind(socket);
  let start = '';
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (chunk instanceof Uint8Array && start.length < VERSION_BYTES) {
      start += String.fromCharCode(...chunk.subarray(0, VERSION_BYTES - start.length));
    }
    reading.http10 = start === 'HTTP/1.0';
    return chunk;
  };
}

/** Layer 2 (security.md §3.1): Node does not call `lookup` for a literal address. */
function denial({ protocol, hostname }: buildConnector.Options): EgressFault | null {
  if (protocol !== 'https:') return blocked('egress-denied-scheme');
  return isIP(hostname) === 0 ? null : blocked('egress-denied-literal');
}

function portOf({ port, protocol }: buildConnector.Options): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Layers 2 to 4 of security.md §3.1 around one kind of target. */
export class GuardedConnector {
  readonly reading: Reading = { http10: false };
  readonly #target: Target;
  readonly #deps: ConnectorDeps;
  readonly #lookup: LookupFunction;
  readonly #sessions = createTlsSessions();
  readonly #opening = new Set<Socket>();

  constructor(target: Target, deps: ConnectorDeps) {
    this.#target = target;
    this.#deps = deps;
    this.#lookup = lookupFor(target, deps);
  }

  readonly connect: buildConnector.connector = (options, callback) => {
    const denied = this.#target.kind === 'guarded' ? denial(options) : null;
    if (denied === null) this.#follow(this.#open(options), options.hostname, callback);
    else callback(denied, null);
  };

  /** Breaks connections that are still being made; undici breaks the others. */
  destroy(): void {
    for (const socket of this.#opening) socket.destroy(new EgressFault({ kind: 'cancelled', code: 'cancelled' }));
  }

  #open(options: buildConnector.Options): Socket {
    const target = this.#target;
    const place =
      target.kind === 'stub'
        ? { host: target.address, port: target.port }
        : { host: options.hostname, port: portOf(options), lookup: this.#lookup, autoSelectFamily: true };
    if (options.protocol !== 'https:') return connectTcp(place);
    const session = this.#sessions.of(options.hostname);
    return connectTls({
      ...place,
      ...(isIP(options.hostname) === 0 ? { servername: options.hostname } : {}),
      ...(session === undefined ? {} : { session }),
      secureContext: this.#deps.context(),
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
  }

  /** Calls back once: with a connection that may be used, or with the reason of the failure. */
  #follow(socket: Socket, hostname: string, callback: buildConnector.Callback): void {
    this.#opening.add(socket);
    const watch = new ConnectWatch(socket);
    const timeout = new EgressFault({ kind: 'timeout', code: 'connect-timeout' });
    const timer = setTimeout(() => socket.destroy(timeout), MAX_CONNECT_MS);
    const settled = (): boolean => {
      clearTimeout(timer);
      return !this.#opening.delete(socket);
    };
    const fail = (error: Error): void => {
      if (!settled()) callback(watch.faultOf(error), null);
    };
    socket.setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    socket.on('error', fail);
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      if (settled()) return;
      if (this.#accepts(socket)) callback(null, this.#accepted(socket, hostname));
      else callback(blocked('egress-denied-peer'), null);
    });
  }

  /** Layer 4: checks the peer before the first byte of the request, whatever DNS and the kernel made of the name. */
  #accepts(socket: Socket): boolean {
    if (this.#target.kind !== 'guarded' || this.#deps.allowed(socket.remoteAddress ?? '')) return true;
    socket.destroy();
    return false;
  }

  #accepted(socket: Socket, hostname: string): Socket {
    watchVersion(socket, this.reading);
    if (socket instanceof TLSSocket) this.#sessions.follow(hostname, socket);
    return socket;
  }
}
