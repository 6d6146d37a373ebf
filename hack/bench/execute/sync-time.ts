import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { percentile } from '../../../test/support/rank.ts';

const BYTES = 4096;

/** Time of one `pwrite` of 4 KiB with its `fdatasync`, µs. */
interface SyncTime {
  readonly p50: number;
  readonly p99: number;
}

export interface SyncTimes {
  /** Every write makes the file longer. */
  readonly growing: SyncTime;
  /** Every write replaces bytes, as a write-ahead log does that starts over. */
  readonly overwriting: SyncTime;
}

function syncTime(file: number, times: number): SyncTime {
  const bytes = Buffer.alloc(BYTES, 1);
  const micros = Array.from({ length: times }, (_, index) => {
    const began = performance.now();
    writeSync(file, bytes, 0, BYTES, index * BYTES);
    fdatasyncSync(file);
    return (performance.now() - began) * 1000;
  });
  return { p50: percentile(micros, 0.5), p99: percentile(micros, 0.99) };
}

/** Writes and syncs a new file in the folder. @param times each way */
export function measureSync(folder: string, times = 200): SyncTimes {
  const file = openSync(join(folder, 'sync-time'), 'w');
  try {
    const growing = syncTime(file, times);
    return { growing, overwriting: syncTime(file, times) };
  } finally {
    closeSync(file);
  }
}

const shown = ({ p50, p99 }: SyncTime): string => `${p50.toFixed(0)} µs (p99 ${p99.toFixed(0)})`;

/** @returns one line for the reader */
export const syncLine = ({ growing, overwriting }: SyncTimes): string =>
  `sync of 4 KiB in the folder of the ledgers, p50: overwriting ${shown(overwriting)}, growing a file ${shown(growing)}`;
