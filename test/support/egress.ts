import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { DialLimits, OutboundRequest, ResponseMemory } from '../../adapters/egress/port.ts';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

/** A server that sends raw bytes: an HTTP library can't simulate the faults of a provider. */
export interface RawServer {
  readonly port: number;
  /** TCP connections accepted. */
  readonly connections: () => number;
  /** Request texts as received, decrypted; one for each call of the script. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

/** Answers one request; called when its head (and a body of `content-length`) has arrived. */
export type Script = (socket: Socket, request: string, index: number) => void;

function whole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return end >= 0 && text.length >= end + 4 + length;
}

function serve(script: Script, requests: string[]): (socket: Socket) => void {
  return (socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!whole(text)) return;
      requests.push(text);
      const request = text;
      text = '';
      script(socket, request, requests.length - 1);
    });
  };
}

async function listening(server: Server, requests: readonly string[]): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    connections: () => count,
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** A raw HTTP server on a free loopback port. */
export function rawServer(script: Script): Promise<RawServer> {
  const requests: string[] = [];
  return listening(createTcpServer(serve(script, requests)), requests);
}

/** A raw server behind TLS; `requests` then shows what was sent after a handshake. */
export function rawTlsServer(options: TlsOptions, script: Script): Promise<RawServer> {
  const requests: string[] = [];
  const server = createTlsServer(options, serve(script, requests));
  server.on('tlsClientError', () => undefined);
  return listening(server, requests);
}

/** An answer with a length. */
export function answer(body: string | Uint8Array, headers: readonly string[] = [], status = '200 OK'): Buffer {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status}`, `content-length: ${bytes.byteLength}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

export const aRequest = (url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  headers: [],
  body: null,
  ...changes,
});

export const someLimits = (changes: Partial<DialLimits> = {}): DialLimits => ({
  connectTimeoutMs: 3000,
  bodyIdleMs: 5000,
  maxResponseBytes: 1_048_576,
  followRedirects: 0,
  idempotent: false,
  ...changes,
});

/** Memory of which there is always enough. */
export const enoughMemory: ResponseMemory = {
  hold: () => true,
  grow: () => true,
  wait: () => () => undefined,
  free: () => undefined,
};
