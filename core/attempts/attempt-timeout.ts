import type { AttemptState } from './plan.ts';
import type { RepeatPolicy } from './repeat.ts';

/** The parts of a provider that limit an attempt. */
interface LimitedProvider {
  readonly name: string;
  readonly attemptTimeoutMs: number | undefined;
  readonly repeats: RepeatPolicy;
}

/**
 * Limit of one attempt. A provider that hangs must leave time for the next one, if a next one is possible
 * (failover.md §12.1).
 * @param runMs limit of the whole run
 * @returns ms; undefined: the remaining time of the run
 */
export function attemptTimeoutMs(
  provider: LimitedProvider,
  { candidates, failed, maxAttempts }: AttemptState,
  runMs: number,
): number | undefined {
  if (provider.attemptTimeoutMs !== undefined) return provider.attemptTimeoutMs;
  if (candidates.length === 1 || failed.length + 1 >= maxAttempts) return undefined;
  if (!provider.repeats.anywhere) return undefined;
  const tried = new Set(failed.map((one) => one.provider));
  const another = candidates.some(
    (one) => one.provider !== provider.name && one.standing.kind === 'free' && !tried.has(one.provider),
  );
  return another ? runMs / 2 : undefined;
}
