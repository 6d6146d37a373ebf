import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { connect } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { issueServerCertificate, makeLocalCa } from '../../../adapters/egress/local-ca.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

/** A kubelet that only supports port-forwards (`v4.channel.k8s.io`): every pod's ports are those of this machine. */
export interface FakeKubelet {
  readonly port: number;
  /** Requested paths, with their query. */
  readonly asked: readonly string[];
  readonly close: () => Promise<void>;
}

const [DATA, ERROR] = [0, 1];
const PROTOCOL = 'v4.channel.k8s.io';

function headerOf(channel: number, port: number): Buffer {
  const header = Buffer.alloc(3);
  header.writeUInt8(channel);
  header.writeUInt16LE(port, 1);
  return header;
}

function forward(socket: WebSocket, port: number): void {
  socket.send(headerOf(DATA, port));
  socket.send(headerOf(ERROR, port));
  const target = connect(port, '127.0.0.1');
  target.on('data', (bytes: Buffer) => socket.send(Buffer.concat([Uint8Array.of(DATA), bytes])));
  target.on('end', () => socket.close());
  target.on('error', (error) => {
    socket.send(Buffer.concat([Uint8Array.of(ERROR), Buffer.from(`error forwarding port ${port}: ${error.message}`)]));
    socket.close();
  });
  socket.on('message', (data) => {
    if (Buffer.isBuffer(data) && data[0] === DATA) target.write(data.subarray(1));
  });
  socket.on('close', () => target.destroy());
}

function secureServer(): Server {
  const tools = { clock: systemClock, random: randomBytes };
  const { certificate, key } = issueServerCertificate(makeLocalCa(tools), { names: [], ips: ['127.0.0.1'] }, tools);
  return createServer({ cert: certificate, key });
}

/** Starts it on a free loopback port. */
export async function startFakeKubelet(): Promise<FakeKubelet> {
  const asked: string[] = [];
  const server = secureServer();
  const sockets = new WebSocketServer({
    server,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  sockets.on('connection', (socket, request) => {
    const url = request.url ?? '';
    asked.push(url);
    forward(socket, Number(new URL(url, 'https://kubelet').searchParams.get('port')));
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    asked,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
