import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { listAt, objectAt as memberObject } from '../../../core/json/members.ts';
import { textAt } from '../../../test/support/members.ts';
import { objectAt, urlOf } from '../reputation/served.ts';
import type { BenchServer } from '../subjects.ts';

const POLL_MS = 250;
const DAY_MS = 86_400_000;
/** The runs of the benchmark are younger. */
const WINDOW_MS = 30 * DAY_MS;

/** How a replay ended. */
export interface Replayed {
  readonly replayId: string;
  readonly evaluated: number;
  /** As the platform measured it, with the start of the thread. */
  readonly seconds: number;
  readonly counts: JsonObject;
  /** With reason, fact and count. */
  readonly indeterminate: readonly unknown[];
}

async function send({ headers }: BenchServer, method: string, url: string, body?: object): Promise<JsonObject> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const value: unknown = answer.ok ? JSON.parse(text) : undefined;
  if (!isJsonObject(value)) throw new Error(`${method} ${url}: ${answer.status} ${text.slice(0, 500)}`);
  return value;
}

/** Starts a replay over all receipts of the tenant. @param what policy, or ref and digest @returns its id */
export async function startReplay(server: BenchServer, what: object): Promise<string> {
  const now = Date.now();
  const window = { from: new Date(now - WINDOW_MS).toISOString(), to: new Date(now).toISOString() };
  const started = await send(server, 'POST', urlOf(server, '/policies/replay'), {
    ...what,
    stateful: 'as_recorded',
    window,
  });
  return textAt(started, 'replay_id');
}

/** Waits for the end of a replay. @throws Error it did not complete */
export async function untilReplayed(server: BenchServer, replayId: string): Promise<Replayed> {
  for (;;) {
    const found = await objectAt(server, `/replays/${replayId}`);
    if (found['status'] === 'completed')
      return {
        replayId,
        evaluated: Number(found['evaluated']),
        seconds: Number(found['elapsed_ms']) / 1000,
        counts: memberObject(found, 'counts'),
        indeterminate: listAt(found, 'indeterminate'),
      };
    if (found['status'] !== 'running') throw new Error(`the replay did not complete: ${JSON.stringify(found)}`);
    await delay(POLL_MS);
  }
}

export const replay = async (server: BenchServer, what: object): Promise<Replayed> =>
  untilReplayed(server, await startReplay(server, what));

/** Ends a replay; one that has ended stays as it is. */
export async function cancelReplay(server: BenchServer, replayId: string): Promise<void> {
  const answer = await fetch(urlOf(server, `/replays/${replayId}`), { method: 'DELETE', headers: server.headers });
  await answer.body?.cancel();
}

/** The first runs that a replay decided otherwise. */
export async function firstChanges(server: BenchServer, { replayId }: Replayed): Promise<readonly unknown[]> {
  return listAt(await objectAt(server, `/replays/${replayId}/changes?limit=5`), 'items');
}
