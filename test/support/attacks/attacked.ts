import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { lastAnswer } from '../wait-for.ts';
import { startStandalone, type Standalone, type StartOptions } from '../standalone.ts';

/** The heap that the image gives itself in a pod of 512 MiB: three quarters, and its young generation. */
const IMAGE_HEAP = '--max-old-space-size=384 --max-semi-space-size=8';

export interface Attacked extends Standalone {
  readonly port: number;
  /** Resident memory of the process, MB. */
  readonly residentMb: () => number;
  /** Value of a metric without labels, or with these. */
  readonly metric: (series: string) => Promise<number>;
}

const KB_PER_MB = 1024;

function residentMb(pid: number): number {
  const [, kb = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / KB_PER_MB;
}

const CALM_MS = 100;
const CALM_CALLS = 5;

/** What a process does just after its start would count as the work of an attack. */
async function untilCalm({ get }: Standalone): Promise<void> {
  let calm = 0;
  const isCalm = async (): Promise<boolean> => {
    const startedAt = performance.now();
    await (await get('/health')).text();
    calm = performance.now() - startedAt < CALM_MS ? calm + 1 : 0;
    return calm >= CALM_CALLS;
  };
  await lastAnswer(isCalm, (is) => is);
}

/** Starts standalone with the heap of the image. */
export const startAttacked = (...flags: readonly string[]): Promise<Attacked> => startAttackedWith({ flags });

/** The same, on a folder or with resources of the test. */
export async function startAttackedWith(options: StartOptions): Promise<Attacked> {
  const standalone = await startStandalone({ ...options, env: { ...options.env, NODE_OPTIONS: IMAGE_HEAP } });
  await untilCalm(standalone);
  const metric = async (series: string): Promise<number> => {
    const lines = (await (await fetch(standalone.ready.metrics_url)).text()).split('\n');
    const line = lines.find((each) => each.startsWith(`${series} `)) ?? '';
    return Number(line.slice(series.length));
  };
  return {
    ...standalone,
    port: Number(new URL(standalone.ready.url).port),
    residentMb: () => residentMb(standalone.child.pid ?? 0),
    metric,
  };
}

/** Prints what a test measured, below its name. */
export const figures = (text: string): void => void process.stdout.write(`      ${text}\n`);

/** Opens a connection; what the server does with it afterwards does not fail the test. */
export const dialFrom = (port: number, localAddress: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    socket.on('error', () => undefined);
    socket.once('connect', () => resolve(socket)).once('close', () => resolve(socket));
  });

const AT_ONCE = 200;

/** Opens many, some at a time: the queue of a listener has few places. */
export async function dialMany(port: number, count: number, localAddress: string): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Math.min(AT_ONCE, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: some }, () => dialFrom(port, localAddress)))));
  }
  return sockets;
}

/** Sends bytes and gives what comes back until the server closes, or `ms` have passed. */
export async function converse(port: number, parts: readonly string[], ms = 10_000): Promise<string> {
  const socket = await dialFrom(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => (received += String(text)));
  for (const part of parts) socket.write(part, 'latin1');
  await lastAnswer(
    () => socket.closed,
    (isClosed) => isClosed,
    ms,
    10,
  );
  if (!socket.closed) received += '[not closed]';
  socket.destroy();
  return received;
}
