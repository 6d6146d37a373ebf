import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MS = 30_000;
const POLL_MS = 50;
/** Polls of a long wait at the least: a machine that stands still loses one poll, not all. */
const LEAST_POLLS = 10;
/** A short wait polls at least once in this time. */
const SHORT_MS = 200;

/**
 * Asks until the answer is as wanted or the time is over.
 * @param ms longest wait, default 30 000
 * @param everyMs pause between two questions, default 50
 * @returns the last answer, so that an assertion can show it
 */
export async function lastAnswer<T>(
  ask: () => T | Promise<T>,
  wanted: (answer: T) => boolean,
  ms = WAIT_MS,
  everyMs = POLL_MS,
): Promise<T> {
  const until = performance.now() + ms;
  for (let polls = 1; ; polls += 1) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > until && polls >= Math.min(LEAST_POLLS, ms / SHORT_MS)) return answer;
    await delay(everyMs);
  }
}

/** Polls until an answer comes. @returns undefined: none came */
export const waitFor = <T>(
  ask: () => T | undefined | Promise<T | undefined>,
  ms?: number,
  everyMs?: number,
): Promise<T | undefined> => lastAnswer<T | undefined>(ask, (answer) => answer !== undefined, ms, everyMs);

/** Polls until a condition holds. @param what it is, for the error @throws Error it never holds */
export async function untilTrue(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = WAIT_MS,
  everyMs?: number,
): Promise<void> {
  if (!(await lastAnswer(holds, (held) => held, ms, everyMs))) throw new Error(`not within ${ms / 1000} s: ${what}`);
}
