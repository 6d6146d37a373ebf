import { SlidingCount } from './sliding-count.ts';

const WINDOW_MS = 10_000;
const PARTS = 10;
/** Below this many in a window nothing is amplified: an Orb that is called rarely can repeat too. */
const ALWAYS = 10;
const SHARE = 0.2;

/**
 * Bounds the repeats of one Orb in one process, so that an outage is not amplified: at most 20 % of the runs of a sliding 10 s, or 10
 * (failover.md §12.2; Finagle and Envoy do the same).
 */
export class RetryBudget {
  readonly #runs = new SlidingCount(WINDOW_MS, PARTS);
  readonly #retries = new SlidingCount(WINDOW_MS, PARTS);

  /** A run begins. @param now monotonic ms */
  run(now: number): void {
    this.#runs.add(now);
  }

  /** Whether one more repeat is allowed; takes nothing. @param now monotonic ms */
  allows(now: number): boolean {
    return this.#retries.total(now) < Math.max(ALWAYS, Math.floor(SHARE * this.#runs.total(now)));
  }

  /** A repeat begins. @param now monotonic ms */
  spend(now: number): void {
    this.#retries.add(now);
  }
}
