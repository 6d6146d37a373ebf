import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { MessagePort, parentPort, workerData } from 'node:worker_threads';

/** A caller in a thread of its own: the attack in the main thread does not delay its clock. */

const EVERY_MS = 20;
const GIVES_UP_MS = 20_000;

const isPlace = (value: unknown): value is { readonly port: number; readonly paths: readonly string[] } =>
  typeof value === 'object' && value !== null && 'port' in value && 'paths' in value;

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
  const { port: server, paths } = workerData;
  const ends: MessagePort[] = [];
  parentPort.once('message', (port) => {
    if (port instanceof MessagePort) ends.push(port);
  });
  const times: number[] = [];
  let failed = 0;
  let lateMs = 0;
  for (let call = 0; ends.length === 0; call += 1) {
    const startedAt = performance.now();
    if (!(await answered(server, paths[call % paths.length] ?? '/'))) failed += 1;
    times.push(performance.now() - startedAt);
    const sleptAt = performance.now();
    await delay(EVERY_MS);
    lateMs = Math.max(lateMs, performance.now() - sleptAt - EVERY_MS);
  }
  const watched = { calls: times.length, failed, worstMs: Math.max(...times), lateMs };
  for (const port of ends) port.postMessage(watched);
}

await run();
