import { createFakeClock, type FakeClock } from './fake-clock.ts';

const MINUTE = 60_000;
const LEAP = Date.parse('2038-01-19T03:14:08Z');

/** Error of a wall clock, ms. @param elapsed monotonic ms @param start ms since epoch */
export type ClockFault = (elapsed: number, start: number) => number;

/** A wall clock that becomes wrong some time after its start (reliability.md §4.1, R8). */
const from =
  (began: number, offMs: (since: number, now: number) => number): ClockFault =>
  (elapsed, start) =>
    elapsed < began ? 0 : offMs(elapsed - began, start + elapsed);

/** @param began monotonic ms at which it becomes wrong */
export const clockFaults = (began: number): Readonly<Record<string, ClockFault>> => ({
  'goes ten minutes ahead': from(began, () => 10 * MINUTE),
  'goes ten minutes back': from(began, () => -10 * MINUTE),
  'goes an hour back': from(began, () => -60 * MINUTE),
  'runs at twice its rate': from(began, (since) => since),
  'leaps to 2038': from(began, (_since, now) => LEAP - now),
});

/** `monotonic`, `sleep` and `advance` are right. */
export function createWrongClock(start: number, fault: ClockFault): FakeClock {
  const right = createFakeClock(start);
  return { ...right, now: () => right.now() + fault(right.monotonic(), start) };
}
