import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';

// Below the ports of outgoing connections (Linux from 32768, others from 49152) and node ports (from 30000). So a port
// that is free now stays free until its server listens, and while the server is killed and restarted.
const FIRST = 20_000;
const LAST = 29_999;
const TRIES = 100;
const HOST = '127.0.0.1';

/** Whether the port is free. */
function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => void server.close(() => resolve(true)));
  });
}

/**
 * Holds the UDP port of this number, which no server here uses, until this process ends in any way. It shows every
 * other caller that the TCP port is taken, long before the server listens and while it restarts.
 * @returns undefined when another caller holds it
 */
function hold(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind({ port, address: HOST, exclusive: true }, () => resolve(socket.unref()));
  });
}

/**
 * A port of 127.0.0.1 for a server that can't choose a free port itself. No other call, in this process or another,
 * gets the same port while this process runs.
 * @param pick a number to try
 * @throws Error no port was free
 */
export async function freePort(pick: () => number = () => randomInt(FIRST, LAST + 1)): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = pick();
    const held = await hold(port);
    if (held === undefined) continue;
    if (await isFree(port)) return port;
    held.close();
  }
  throw new Error(`no free port of ${HOST} between ${FIRST} and ${LAST} after ${TRIES} tries`);
}
