import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Standalone } from '../support/standalone.ts';

/** Observations of an independent client while the platform was killed repeatedly. */
export interface Observations {
  /** Ids of receipts whose run was answered with 200. */
  readonly acknowledged: Set<string>;
  /** Receipt id → JWS as it was served before a kill. */
  readonly served: Map<string, string>;
  /** Notes as served, by tree size. */
  readonly checkpoints: Map<number, string>;
  /** Faults: observations that must never occur. */
  readonly faults: string[];
}

export const emptyWitness = (): Observations => ({
  acknowledged: new Set(),
  served: new Map(),
  checkpoints: new Map(),
  faults: [],
});

const POLL_MS = 20;

/** Complete lines of a file that another process may be writing. */
export function linesOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
}

/** Notes a checkpoint as it was served. A second one of the same size must have the same root. */
export function takeCheckpoint(seen: Observations, note: string): void {
  const size = Number(note.split('\n')[1]);
  const before = seen.checkpoints.get(size);
  if (before !== undefined && before.split('\n')[2] !== note.split('\n')[2])
    seen.faults.push(`two checkpoints of size ${size} have different roots`);
  seen.checkpoints.set(size, note);
}

async function read(platform: Standalone, acks: string, seen: Observations, signal: AbortSignal): Promise<void> {
  const note = await platform.get('/log/checkpoint', {}, signal);
  if (note.status === 200) takeCheckpoint(seen, await note.text());
  const receiptId = linesOf(acks).at(-1);
  if (receiptId === undefined || seen.served.has(receiptId)) return;
  const receipt = await platform.get(`/receipts/${receiptId}`, { accept: 'application/jose' }, signal);
  if (receipt.status === 200) seen.served.set(receiptId, await receipt.text());
  else seen.faults.push(`${receiptId} was acknowledged and is answered with ${receipt.status}`);
}

/** Fetches checkpoints and the newest acknowledged receipt until `signal` aborts; a killed platform also ends it. */
export async function watchPlatform(
  platform: Standalone,
  acks: string,
  seen: Observations,
  signal: AbortSignal,
): Promise<void> {
  try {
    while (!signal.aborted) {
      await read(platform, acks, seen, signal);
      await delay(POLL_MS, undefined, { signal });
    }
  } catch {
    // The kill broke the connection: only answers that were complete before it count.
  }
}
