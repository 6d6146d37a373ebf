const HOUR_MS = 60 * 60 * 1000;
// The number of Orbs in an installation. Above it the oldest subjects are dropped, and reported again.
const MAX_SUBJECTS = 10_000;

/** Limiter of warnings: one warning an hour for each subject (security.md §5, echoed secrets). */
export class WarningLimiter {
  readonly #now: () => number;
  readonly #said = new Map<string, number>();

  /** @param now ms, monotonic */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** True at most once an hour for a subject. */
  isDue(subject: string): boolean {
    const now = this.#now();
    const last = this.#said.get(subject);
    if (last !== undefined && now - last < HOUR_MS) return false;
    this.#said.delete(subject);
    this.#said.set(subject, now);
    const [oldest] = this.#said.keys();
    if (this.#said.size > MAX_SUBJECTS && oldest !== undefined) this.#said.delete(oldest);
    return true;
  }
}
