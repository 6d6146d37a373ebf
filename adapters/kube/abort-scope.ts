import type { Clock } from '../time/clock.ts';

/** Reason of scopes whose work has ended. One object: making it, with its stack, costs more than the abort. */
export const SCOPE_ENDED = new DOMException('the work has ended', 'AbortError');

/**
 * Runs `work` with a controller of its own. The controller is aborted with `parent`, and when the work has ended. So
 * timers and listeners of the work end with it. A parent that lives as long as the process keeps none of them.
 */
export async function withScope<T>(parent: AbortSignal, work: (scope: AbortController) => Promise<T>): Promise<T> {
  parent.throwIfAborted();
  const scope = new AbortController();
  const stop = (): void => scope.abort(parent.reason);
  parent.addEventListener('abort', stop, { once: true });
  try {
    return await work(scope);
  } finally {
    parent.removeEventListener('abort', stop);
    scope.abort(SCOPE_ENDED);
  }
}

/** Calls `act` once after `ms`, unless the signal is aborted first. */
export function after(clock: Clock, ms: number, { signal, act }: { signal: AbortSignal; act: () => void }): void {
  clock.sleep(ms, signal).then(act, () => undefined);
}
