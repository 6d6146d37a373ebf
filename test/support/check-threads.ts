import type { SelfCheck, StartCheckThread } from '../../api-server/self-check/self-check.ts';

export interface Recorded {
  readonly start: StartCheckThread;
  /** Sizes of the batches that were posted. */
  readonly posted: number[];
  readonly answered: () => number;
}

/** A thread whose batches are counted. */
export function recorded(start: StartCheckThread): Recorded {
  const posted: number[] = [];
  let answered = 0;
  return {
    posted,
    answered: () => answered,
    start: (events) => {
      const thread = start({
        ...events,
        onMessage: (results) => {
          answered += 1;
          events.onMessage(results);
        },
      });
      const post: typeof thread.post = (message) => {
        if (message[0] === 'batch') posted.push(message[1].length + message[2].length);
        thread.post(message);
      };
      return { ...thread, post };
    },
  };
}

/** Threads that load and then end at their first batch, as a crash would. */
export function crashing(): Pick<Recorded, 'start' | 'answered'> & { readonly started: () => number } {
  let started = 0;
  let answered = 0;
  return {
    started: () => started,
    answered: () => answered,
    start: ({ onMessage, onEnd }) => {
      started += 1;
      const post: ReturnType<StartCheckThread>['post'] = ([kind]) =>
        void setImmediate(() => {
          answered += 1;
          if (kind === 'keys') onMessage({ signed: [], fits: [] });
          else onEnd(new Error('crashed'));
        });
      return { post, ended: Promise.resolve(), terminate: () => Promise.resolve() };
    },
  };
}

/** It loads, and never answers a batch. */
export const silent: StartCheckThread = ({ onMessage }) => {
  queueMicrotask(() => onMessage({ signed: [], fits: [] }));
  return { post: () => undefined, ended: Promise.resolve(), terminate: () => Promise.resolve() };
};

/** Two receipts at once start the thread; until it is ready they are checked here. On a busy machine it takes seconds. */
export async function warm(check: SelfCheck, thread: Pick<Recorded, 'answered'>, jws: string): Promise<void> {
  const before = thread.answered();
  await Promise.all([check.verifies(jws), check.verifies(jws)]);
  while (thread.answered() === before) await new Promise((resolve) => setTimeout(resolve, 5));
}
