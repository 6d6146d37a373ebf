import { crashAt, type CrashMode, type Rule } from './rules.ts';
import type { WritePoint } from './write-points.ts';

/** One crash of a process, and its next start. */
interface Crash {
  readonly rule: Rule;
  /**
   * Resolves when the process was started again; at once while the write has not come. It waits from the arrival of the
   * write, before the server has it: a reader may see the write's effect before the process is killed.
   */
  readonly restarted: () => Promise<void>;
}

/** Kills a process once, at the write of that name. @param restart called when the process is gone */
export function crashAndRestart(
  point: WritePoint,
  when: CrashMode,
  { kill, restart }: { readonly kill: () => Promise<void>; readonly restart: () => Promise<void> },
): Crash {
  const { promise, resolve } = Promise.withResolvers<void>();
  promise.catch(() => undefined); // the failure is that of `restarted`, which may be asked later
  let isComing = false;
  const crash = crashAt(point, when, async () => {
    const gone = kill();
    resolve(gone.then(restart));
    await gone;
  });
  return {
    rule: (seen) => {
      const action = crash(seen);
      isComing ||= action !== undefined;
      return action;
    },
    restarted: () => (isComing ? promise : Promise.resolve()),
  };
}
