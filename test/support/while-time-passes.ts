import type { FakeClock } from './fake-clock.ts';

/** Moves the clock by `stepMs` again and again until the work has ended. @returns what it gives */
export async function whileTimePasses<T>(clock: FakeClock, work: Promise<T>, stepMs = 100): Promise<T> {
  const over = new AbortController();
  const done = work.finally(() => over.abort());
  while (!over.signal.aborted) await clock.advance(stepMs);
  return done;
}
