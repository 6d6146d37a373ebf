import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { MessagePort, parentPort, workerData } from 'node:worker_threads';

/** A caller in a thread of its own: the attack in the main thread does not delay its clock. */

const EVERY_MS = 20;
const GIVES_UP_MS = 20_000;
const NS_PER_MS = 1e6;

interface Place {
  readonly port: number;
  readonly pid: number;
  readonly paths: readonly string[];
}

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' && value !== null && 'port' in value && 'pid' in value && 'paths' in value;

/** Time that the event loop of a process has worked so far. On a busy machine a clock would also count the work of others. */
const workedMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / NS_PER_MS;

/** @returns false: refused, cut, or not answered in time */
const answered = (port: number, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    // Another address than the attacker's, and a new connection each time.
    const call = request({ host: '127.0.0.1', localAddress: '127.0.0.2', port, path, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode === 200));
    });
    call.setTimeout(GIVES_UP_MS, () => call.destroy());
    call.once('error', () => resolve(false)).end();
  });

async function run(): Promise<void> {
  if (parentPort === null || !isPlace(workerData)) throw new TypeError('this file is a thread of watch-caller.ts');
  const { port: server, pid, paths } = workerData;
  const ends: MessagePort[] = [];
  parentPort.once('message', (port) => {
    if (port instanceof MessagePort) ends.push(port);
  });
  let [calls, failed, worstMs, clockMs] = [0, 0, 0, 0];
  for (; ends.length === 0; calls += 1) {
    const [startedAt, workedBefore] = [performance.now(), workedMs(pid)];
    if (!(await answered(server, paths[calls % paths.length] ?? '/'))) failed += 1;
    const tookMs = performance.now() - startedAt;
    clockMs = Math.max(clockMs, tookMs);
    worstMs = Math.max(worstMs, Math.min(tookMs, workedMs(pid) - workedBefore));
    await delay(EVERY_MS);
  }
  for (const port of ends) port.postMessage({ calls, failed, worstMs, clockMs });
}

await run();
