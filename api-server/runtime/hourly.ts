const HOUR_MS = 60 * 60 * 1000;
// As many subjects as an installation has Orbs; beyond that the oldest are forgotten, and said again.
const MAX_SUBJECTS = 10_000;

/** Lets one notice a subject and hour through (security.md §5, `SecretEchoed`). */
export class Hourly {
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
