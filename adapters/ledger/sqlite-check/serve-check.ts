import { setTimeout as delay } from 'node:timers/promises';
import { failureDetail } from '../sqlite/sqlite-error.ts';
import { checkFile, type CheckedFile } from './check-file.ts';
import type { WalkedLog } from './log-walk.ts';

/** The one message that the thread is sent. */
export type ToCheckThread = readonly [kind: 'check', file: string, log: WalkedLog];

export type FromCheckThread =
  | readonly [kind: 'checked', result: CheckedFile, cpuMs: number]
  /** The file could not be read: nothing is known of it. */
  | readonly [kind: 'failed', message: string];

/** The thread's end of its channel. */
export interface CheckPort {
  readonly once: (event: 'message', listener: (message: ToCheckThread) => void) => unknown;
  readonly postMessage: (message: FromCheckThread) => void;
  readonly close: () => void;
}

/** A check takes at most this share of a core. */
const SHARE = 0.02;
/** Work below this is not worth a pause, ms. */
const SLICE_MS = 2;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Pauses so long after each piece of work that the thread keeps its share of a core. */
function pauses(): () => Promise<void> {
  let rested = cpuMs();
  return async () => {
    const worked = cpuMs() - rested;
    if (worked < SLICE_MS) return;
    await delay(worked * (1 / SHARE - 1));
    rested = cpuMs();
  };
}

/** Checks one file, answers, and closes the port. */
export function serveCheck(port: CheckPort): void {
  const check = async ([, file, log]: ToCheckThread): Promise<void> => {
    const before = cpuMs();
    try {
      const result = await checkFile(file, log, pauses());
      port.postMessage(['checked', result, cpuMs() - before]);
    } catch (error) {
      port.postMessage(['failed', failureDetail(error)]);
    }
    port.close();
  };
  port.once('message', (message) => void check(message));
}
