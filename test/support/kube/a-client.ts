import type { Connection } from '../../../adapters/kube/connection.ts';
import { createKubeClient } from '../../../adapters/kube/kube-client.ts';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { startFakeApiServer, type FakeApiServer } from './fake-api-server.ts';
import { recordingLogger, recordingMetrics } from './recorders.ts';

/** A client of a fake server, on the test's clock; every random number is 0.5. */
export interface ClientFixture {
  readonly server: FakeApiServer;
  readonly client: KubeClient;
  readonly clock: FakeClock;
  /** Back-offs that calls requested, in ms; with `impatient` they end at once. */
  readonly waits: readonly number[];
  /** `request GET 200 list` */
  readonly reported: readonly string[];
  readonly close: () => Promise<void>;
}

const DEADLINES = [30_000, 60_000];
const WAIT_MS = 15_000;

/** @param impatient back-offs end at once; deadlines never pass by themselves */
export async function aClient(change: Partial<Connection> = {}, impatient = false): Promise<ClientFixture> {
  const server = await startFakeApiServer();
  const clock = createFakeClock(0);
  const waits: number[] = [];
  const sleep: FakeClock['sleep'] = async (ms, signal) => {
    if (!DEADLINES.includes(ms)) waits.push(ms);
    if (!impatient || DEADLINES.includes(ms)) await clock.sleep(ms, signal);
  };
  const metrics = recordingMetrics();
  const client = createKubeClient({
    connection: { server: server.url, authorization: async () => 'Bearer t', ...change },
    clock: { ...clock, sleep },
    random: () => 0.5,
    logger: recordingLogger(),
    metrics,
    userAgent: 'orb-test/1',
  });
  const close = async (): Promise<void> => {
    await client.close();
    await server.close();
  };
  return { server, client, clock, waits, reported: metrics.reported, close };
}

/** Lets sockets work until `condition` holds; no time of the clock passes. @throws Error it never holds */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (performance.now() < end) {
    if (condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the condition does not come to hold');
}
