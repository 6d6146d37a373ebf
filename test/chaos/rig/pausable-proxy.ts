import { connect, createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

/** A TCP path that can go silent: bytes wait, nothing is closed (reliability.md §2.2: API server B ↔ etcd). */
export interface PausableProxy {
  readonly port: number;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ends every connection by RST; new ones are accepted. */
  readonly reset: () => void;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** @param target port on 127.0.0.1 */
export async function startPausableProxy(target: number): Promise<PausableProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let paused = false;
  const each = (step: (socket: Socket) => void): void => [...pairs].flat().forEach(step);
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (!paused) from.resume();
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (paused) pair.forEach((socket) => socket.pause());
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    pause: () => {
      paused = true;
      each((socket) => socket.pause());
    },
    resume: () => {
      paused = false;
      each((socket) => socket.resume());
    },
    reset: () => each((socket) => socket.resetAndDestroy()),
    connections: () => pairs.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        each((socket) => socket.destroy());
      }),
  };
}
