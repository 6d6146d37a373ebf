import { setTimeout as delay } from 'node:timers/promises';
import { at } from '../../chaos/rig/json.ts';
import { startCallers } from '../../support/callers.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { TENANT } from './provider-pods.ts';

/** One run as its caller saw it, who repeated it with the same `Idempotency-Key` until it was answered. */
export interface CallerRun {
  /** Also the key, and what the provider is sent. */
  readonly id: string;
  /** When it was sent first, by `performance.now()`. */
  readonly sentAt: number;
  readonly ms: number;
  /** How often it was sent. */
  readonly sent: number;
  /** '' when the caller gave up. */
  readonly receiptId: string;
  readonly provider: string;
  /** Why the caller gave up; '' when it did not. */
  readonly fault: string;
}

/** What a load came to. */
export interface LoadResult {
  readonly runs: readonly CallerRun[];
  readonly failed: readonly CallerRun[];
  /** Longest time without an answered run, ms. */
  readonly gapMs: number;
  /** How many came, whatever became of them. */
  readonly perSecond: number;
}

/** Callers that come whether the last one was answered or not. */
export interface Load {
  /** So far; for tests that wait for something. */
  readonly runs: readonly CallerRun[];
  /** No new callers; resolves when each has its answer or gave up. */
  readonly stop: () => Promise<LoadResult>;
}

/** Callers a second where a test names no other number. */
export const RATE = 50;
/** The longest time without an answered run while the only replica is replaced. */
export const GAP_MS = 10_000;
const GAP_TRIES = 3;
// More than any machine adds that answers at all.
const HOPELESS_MS = 30_000;
const GIVE_UP_MS = 30_000;
const ATTEMPT_MS = 5000;
const PAUSE_MS = 500;

type Seen =
  | { readonly kind: 'answered'; readonly body: unknown }
  | { readonly kind: 'again'; readonly why: string; readonly afterMs: number };

/** A run that was executed is answered with 200; all else is asked for again, as is an answer that did not come. */
function judge({ status, header, body }: ApiAnswer): Seen {
  if (status === 200) return { kind: 'answered', body };
  const seconds = Number(header('retry-after') ?? 0);
  const why = `${status} ${String(at(body, 'code'))}`;
  return { kind: 'again', why, afterMs: Math.max(PAUSE_MS, seconds * 1000) };
}

async function attempt(api: ApiClient, orbId: string, id: string): Promise<Seen> {
  const wish = { headers: { 'idempotency-key': id }, signal: AbortSignal.timeout(ATTEMPT_MS) };
  try {
    const path = `/orbisets/${TENANT}.default/execute`;
    return judge(await api.post(path, { orb_id: orbId, inputs: { id } }, wish));
  } catch (error) {
    return { kind: 'again', why: String(error), afterMs: PAUSE_MS };
  }
}

/** One run, repeated with its key for 30 s. */
export async function execute(api: ApiClient, orbId: string, id: string): Promise<CallerRun> {
  const sentAt = performance.now();
  for (let sent = 1; ; sent += 1) {
    const seen = await attempt(api, orbId, id);
    const ms = performance.now() - sentAt;
    if (seen.kind === 'answered') {
      const receiptId = String(at(seen.body, 'receipt', 'receipt_id'));
      return { id, sentAt, ms, sent, receiptId, provider: String(at(seen.body, 'outputs', 'provider')), fault: '' };
    }
    if (ms + seen.afterMs > GIVE_UP_MS) return { id, sentAt, ms, sent, receiptId: '', provider: '', fault: seen.why };
    await delay(seen.afterMs);
  }
}

/** Resolves when the API, which has caches of its own, executes the Orb. @throws Error it does not within 30 s */
export async function untilServed(api: ApiClient, orbId: string): Promise<void> {
  const { fault } = await execute(api, orbId, `first-${Date.now()}`);
  if (fault !== '') throw new Error(`${orbId} is not executed: ${fault}`);
}

/** Starts so many runs a second. */
export function startLoad(api: ApiClient, orbId: string, rate = RATE): Load {
  const runs: CallerRun[] = [];
  const mark = Date.now().toString(36);
  const began = performance.now();
  let last = began;
  let gapMs = 0;
  const stop = startCallers(rate, async (number) => {
    const run = await execute(api, orbId, `${mark}-${number}`);
    runs.push(run);
    if (run.fault !== '') return;
    gapMs = Math.max(gapMs, performance.now() - last);
    last = performance.now();
  });
  return {
    runs,
    stop: async () => {
      const seconds = (performance.now() - began) / 1000;
      await stop();
      return { runs, failed: runs.filter(({ fault }) => fault !== ''), gapMs, perSecond: runs.length / seconds };
    },
  };
}

/**
 * The least of the gaps of up to three rounds, the first of which is enough when it is short: a machine that stands still adds to
 * a gap and takes from none, so what is long each time is the platform's. One that is hopeless is the answer at once.
 * @param round replaces the replica under load; its gap in ms
 */
export async function leastGap(round: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < GAP_TRIES && least >= GAP_MS; tries += 1) {
    const gap = await round();
    if (gap > HOPELESS_MS) return gap;
    least = Math.min(least, gap);
  }
  return least;
}
