import { LedgerError } from '../ledger/port.ts';
import { openSqliteReader } from '../ledger/sqlite-reader.ts';
import { Pace } from '../threads/pace.ts';
import { SharedCount } from '../threads/shared-count.ts';
import { systemClock } from '../time/clock.ts';
import type { ReplayJob, ReplayProgress } from './port.ts';
import { ReplayDesk } from './replay-desk.ts';

/** What the thread is sent: the path of the ledger's file with the job first, then `step` for each chunk. */
export type ToReplayThread =
  /** `runs`: memory of a `SharedCount`. */
  readonly [kind: 'begin', file: string, job: ReplayJob, runs: SharedArrayBuffer] | readonly [kind: 'step'];

/** The answer to `begin` and to each step. */
export type FromReplayThread =
  | readonly [kind: 'ready']
  | readonly [kind: 'progress', progress: ReplayProgress]
  /** The ledger could not be read. */
  | readonly [kind: 'failed', message: string]
  /** Any other error: a bug, or rows of the ledger that can't be read. */
  | readonly [kind: 'broken', message: string, stack: string];

/** The thread's end of its channel. */
export interface ReplayPort {
  readonly on: (event: 'message', listener: (message: ToReplayThread) => void) => unknown;
  readonly postMessage: (message: FromReplayThread) => void;
}

function failureOf(error: unknown): FromReplayThread {
  if (error instanceof LedgerError) return ['failed', error.message];
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return ['broken', message, stack];
}

/** Handles messages one at a time. The first compiles the policies and opens the file, which is closed with the thread. */
export function serveReplay(port: ReplayPort): void {
  let desk: ReplayDesk | undefined;
  let last: Promise<void> = Promise.resolve();

  async function answer(message: ToReplayThread): Promise<FromReplayThread> {
    if (message[0] === 'begin') {
      const [, file, job, memory] = message;
      const runs = new SharedCount(memory);
      const pace = new Pace(() => runs.read(), systemClock);
      desk = new ReplayDesk(openSqliteReader(file), job, systemClock, pace);
      return ['ready'];
    }
    if (desk === undefined) throw new TypeError('no replay was begun');
    return ['progress', await desk.step()];
  }

  async function handle(message: ToReplayThread): Promise<void> {
    try {
      port.postMessage(await answer(message));
    } catch (error) {
      port.postMessage(failureOf(error));
    }
  }

  port.on('message', (message) => {
    last = last.then(() => handle(message));
  });
}
