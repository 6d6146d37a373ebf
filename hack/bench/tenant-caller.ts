// The measured caller of `npm run bench tenants`: `node hack/bench/tenant-caller.ts SETTINGS` calls on four connections, at a
// steady pace, and prints what it saw. It has a process of its own, so that the attacks do not delay its clock.
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../test/support/rank.ts';
import { ADDRESSES, executePath, OTHER, runOf, type Called, type CallerSettings } from './tenants/parts.ts';
import { postOf, RawCaller } from './tenants/raw-caller.ts';

const CONNECTIONS = 4;
/** Between two calls of a connection. */
const EVERY_MS = 80;
const TICK_MS = 5;
const MS_PER_SECOND = 1000;

const isSettings = (value: unknown): value is CallerSettings =>
  typeof value === 'object' && value !== null && 'port' in value && 'key' in value && 'seconds' in value;

const settings: unknown = JSON.parse(process.argv[2] ?? '');
if (!isSettings(settings)) throw new TypeError('the settings of the measured caller are expected');
const { port, key, seconds } = settings;
const request = postOf(executePath(OTHER), key, runOf('other.call'));
const until = performance.now() + seconds * MS_PER_SECOND;
const latencies: number[] = [];
const refused: Record<string, number> = {};
const late: number[] = [];

async function call(index: number): Promise<void> {
  const caller = new RawCaller(port, ADDRESSES.other);
  await delay((index * EVERY_MS) / CONNECTIONS);
  while (performance.now() < until) {
    const began = performance.now();
    const status = await caller.send(request);
    const tookMs = performance.now() - began;
    if (status === 200) latencies.push(tookMs);
    else refused[status] = (refused[status] ?? 0) + 1;
    await delay(Math.max(status === 0 ? EVERY_MS : 0, EVERY_MS - tookMs));
  }
  caller.close();
}

async function clock(): Promise<void> {
  while (performance.now() < until) {
    const due = performance.now() + TICK_MS;
    await delay(TICK_MS);
    late.push(performance.now() - due);
  }
}

await Promise.all([clock(), ...Array.from({ length: CONNECTIONS }, (_, index) => call(index))]);
const called: Called = { latencies, refused, late: { p99: percentile(late, 0.99), max: percentile(late, 1) } };
process.stdout.write(`${JSON.stringify(called)}\n`);
