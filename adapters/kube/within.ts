import type { Clock } from '../time/clock.ts';
import { after, withScope } from './abort-scope.ts';

interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  /** What takes the time, for the message. */
  readonly what: string;
}

/** Is this the end of a time limit, of `within` or of `AbortSignal.timeout`? */
export const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

/**
 * Runs work with a signal that ends it after some time. Work that ignores its signal is waited for all the same.
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
