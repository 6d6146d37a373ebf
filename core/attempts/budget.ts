import { SlidingCount } from './sliding-count.ts';

const WINDOW_MS = 10_000;
const PARTS = 10;
/** Repeats in a window that are always allowed: so few amplify no outage, and a rarely called Orb can repeat too. */
const ALWAYS = 10;
const SHARE = 0.2;

/**
 * Bounds the repeats of one Orb in one process, so that an outage is not amplified. In a sliding 10 s, repeats are at
 * most 20 % of the runs, or 10 if that is more (failover.md §12.2; Finagle and Envoy do the same).
 */
export class RetryBudget {
  readonly #runs = new SlidingCount(WINDOW_MS, PARTS);
  readonly #retries = new SlidingCount(WINDOW_MS, PARTS);

  /** Counts the start of a run. @param now monotonic ms */
  run(now: number): void {
    this.#runs.add(now);
  }

  /** Whether one more repeat is allowed; changes no count. @param now monotonic ms */
  allows(now: number): boolean {
    return this.#retries.total(now) < Math.max(ALWAYS, Math.floor(SHARE * this.#runs.total(now)));
  }

  /** Counts the start of a repeat. @param now monotonic ms */
  spend(now: number): void {
    this.#retries.add(now);
  }
}
