import type { PolicyException } from '../../../crds/orbpolicy.ts';
import { member, objectAt } from '../../json/members.ts';
import type { Facts } from '../language/port.ts';
import { globMatcher } from './glob.ts';

const DAY_MS = 86_400_000;
/** Longest time that an exception may have left. */
export const MAX_EXCEPTION_DAYS = 90;

/** When an exception ends, against a time: past, within the longest time, or too far ahead. A broken time is past. */
export function exceptionState(until: string, now: number): 'expired' | 'valid' | 'too-long' {
  const end = Date.parse(until);
  if (Number.isNaN(end) || end <= now) return 'expired';
  return end - now <= MAX_EXCEPTION_DAYS * DAY_MS ? 'valid' : 'too-long';
}

const matcherOf = (pattern: string | undefined): ((text: string) => boolean) =>
  pattern === undefined || pattern === '' ? () => true : globMatcher(pattern);

const textAt = (facts: Facts, root: string, name: string): string => {
  const value = member(objectAt(facts, root), name);
  return typeof value === 'string' ? value : '';
};

/** The exception that switches off a deny rule for a run; undefined: none does. */
export type ExceptionFinder = (rule: string, facts: Facts) => PolicyException | undefined;

/**
 * Finds exceptions of a policy. The clock is the fact `run.started_at`; without it no exception holds, nor does one
 * that ends more than `MAX_EXCEPTION_DAYS` ahead.
 */
export function exceptionFinder(exceptions: readonly PolicyException[]): ExceptionFinder {
  const prepared = exceptions.map((exception) => ({
    exception,
    isOrb: matcherOf(exception.orb),
    isCaller: matcherOf(exception.caller),
  }));
  return (rule, facts) => {
    if (prepared.length === 0) return undefined;
    const now = Date.parse(textAt(facts, 'run', 'started_at'));
    const found = prepared.find(
      ({ exception, isOrb, isCaller }) =>
        exception.rule === rule &&
        exceptionState(exception.until, now) === 'valid' &&
        isOrb(textAt(facts, 'orb', 'orb_id')) &&
        isCaller(textAt(facts, 'caller', 'id')),
    );
    return found?.exception;
  };
}
