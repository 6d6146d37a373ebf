import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { newId } from '../../../core/receipt/ids.ts';
import { ledgerFileOf, openDataLedger } from '../../../test/support/data-ledger.ts';
import { threadTimes, timesPerRequest, type ThreadTimes } from '../thread-times.ts';
import { payloadAt, payloadsOf, type Events } from './payloads.ts';
import { NAMESPACE, SOURCE, withReceiver } from './sources.ts';

/** Deliveries that one source may have waiting (ingestion.md §6). */
export const MOST_WAITING = 10_000;
const AT_ONCE = 200;
const POLL_MS = 100;

/** How a full queue was drained. */
export interface Drained {
  readonly events: number;
  readonly seconds: number;
  /** CPU of an event by thread, µs. */
  readonly threads: ThreadTimes;
}

/** Accepts deliveries while no platform runs: they wait as after an outage of the worker. */
async function fillQueue(data: string, events: Events): Promise<void> {
  const { ledger } = await openDataLedger(data);
  const payloads = payloadsOf(events);
  try {
    for (let from = 0; from < payloads; from += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, payloads - from) }, (_, index) => from + index);
      await Promise.all(
        numbers.map((number) => {
          const now = Date.now();
          return ledger.acceptDelivery(
            {
              deliveryId: newId('dlv_', now, randomBytes),
              tenant: NAMESPACE,
              source: `${NAMESPACE}/${SOURCE}`,
              deliveryKey: `bench:${number}`,
              receivedAt: now,
              headers: '{"content-type":"application/json"}',
              raw: payloadAt(number, events),
            },
            { perSource: MOST_WAITING, inAll: MOST_WAITING },
          );
        }),
      );
    }
  } finally {
    await ledger.close();
  }
}

/** Deliveries that wait in a ledger which is in use. */
export function openWaiting(data: string): { readonly count: () => number; readonly close: () => void } {
  const db = new DatabaseSync(ledgerFileOf(data), { readOnly: true, timeout: 5000 });
  const count = db.prepare('SELECT coalesce(sum(waiting), 0) AS waiting FROM ingest_sources');
  return { count: () => Number(count.get()?.['waiting']), close: () => db.close() };
}

/** Until nothing waits to be mapped. */
export async function untilDrained(data: string): Promise<void> {
  const waiting = openWaiting(data);
  try {
    while (waiting.count() > 0) await delay(POLL_MS);
  } finally {
    waiting.close();
  }
}

/**
 * Measures from the moment at which the platform is ready until nothing waits any more.
 * @param node further options of Node, for a profile
 */
export async function measureBacklog(
  folder: string,
  mock: number,
  events: Events,
  node: readonly string[] = [],
): Promise<Drained> {
  await withReceiver(folder, mock, () => Promise.resolve());
  await fillQueue(join(folder, 'data'), events);
  return withReceiver(
    folder,
    mock,
    async ({ server, data }) => {
      const { pid } = server.started;
      const [before, began] = [threadTimes(pid), performance.now()];
      await untilDrained(data);
      const seconds = (performance.now() - began) / 1000;
      return { events: events.count, seconds, threads: timesPerRequest(before, threadTimes(pid), events.count) };
    },
    { node },
  );
}
