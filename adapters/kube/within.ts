import type { Clock } from '../time/clock.ts';
import { after, withScope } from './abort-scope.ts';

interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  /** Name of the work, for the message. */
  readonly what: string;
}

/** Whether a time limit ended: one of `within` or of `AbortSignal.timeout`. */
export const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

/**
 * Runs work with a signal that is aborted after some time. Also waits for work that ignores its signal.
 * @throws DOMException `TimeoutError` from work that rethrows the reason of its signal
 */
export const within = <T>(
  { clock, ms, what }: Limit,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  withScope(signal, (scope) => {
    const act = (): void => scope.abort(new DOMException(`${what} took longer than ${ms} ms`, 'TimeoutError'));
    after(clock, ms, { signal: scope.signal, act });
    return work(scope.signal);
  });
