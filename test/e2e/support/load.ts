import { setTimeout as delay } from 'node:timers/promises';
import { at } from '../../../hack/control-plane/json.ts';
import { startCallers } from '../../support/callers.ts';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import { TENANT } from './provider-pods.ts';

/** One run as its caller saw it; the caller repeated it with the same `Idempotency-Key` until it was answered. */
export interface CallerRun {
  /** Also the key, and the value that the provider gets. */
  readonly id: string;
  /** Time of the first request, by `performance.now()`. */
  readonly sentAt: number;
  readonly ms: number;
  /** Number of requests. */
  readonly sent: number;
  /** '' when the caller gave up. */
  readonly receiptId: string;
  readonly provider: string;
  /** Why the caller gave up; '' when it did not. */
  readonly fault: string;
}

/** The result of a load. */
export interface LoadResult {
  readonly runs: readonly CallerRun[];
  readonly failed: readonly CallerRun[];
  /** Longest time without an answered run, ms. */
  readonly gapMs: number;
  /** Number of callers a second, including failed runs. */
  readonly perSecond: number;
}

/** Callers at a steady rate, whether the previous caller was answered or not. */
export interface Load {
  /** Runs so far; for tests that wait for a condition. */
  readonly runs: readonly CallerRun[];
  /** Stops new callers; resolves when each caller has its answer or gave up. */
  readonly stop: () => Promise<LoadResult>;
}

/** Default number of callers a second. */
export const RATE = 50;
/** The longest time without an answered run while the only replica is replaced. */
export const GAP_MS = 10_000;
const GAP_TRIES = 3;
// More than a working machine can add.
const HOPELESS_MS = 30_000;
const GIVE_UP_MS = 30_000;
const ATTEMPT_MS = 5000;
const PAUSE_MS = 500;

type Seen =
  | { readonly kind: 'answered'; readonly body: unknown }
  | { readonly kind: 'again'; readonly why: string; readonly afterMs: number };

/** An executed run is answered with 200; the caller repeats after any other answer, and without an answer. */
function judge({ status, header, body }: ApiAnswer): Seen {
  if (status === 200) return { kind: 'answered', body };
  const seconds = Number(header('retry-after') ?? 0);
  const why = `${status} ${String(at(body, 'code'))}`;
  return { kind: 'again', why, afterMs: Math.max(PAUSE_MS, seconds * 1000) };
}

async function attempt(api: ApiClient, orbId: string, id: string): Promise<Seen> {
  const options = { headers: { 'idempotency-key': id }, signal: AbortSignal.timeout(ATTEMPT_MS) };
  try {
    const path = `/orbisets/${TENANT}.default/execute`;
    return judge(await api.post(path, { orb_id: orbId, inputs: { id } }, options));
  } catch (error) {
    return { kind: 'again', why: String(error), afterMs: PAUSE_MS };
  }
}

/** Sends one run, repeated with its key for 30 s. */
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

/** Resolves when the API, which has its own caches, executes the Orb. @throws Error it does not within 30 s */
export async function untilServed(api: ApiClient, orbId: string): Promise<void> {
  const { fault } = await execute(api, orbId, `first-${Date.now()}`);
  if (fault !== '') throw new Error(`${orbId} is not executed: ${fault}`);
}

/** Starts a load of `rate` runs a second. */
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
 * The least gap of up to three rounds; a short gap ends the rounds. A pause of the machine can only lengthen a gap, so
 * a gap that is long in each round is caused by the platform. A hopeless gap is returned at once.
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
