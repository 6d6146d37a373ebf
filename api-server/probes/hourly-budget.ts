const HOUR_MS = 3_600_000;

/** Requests of one provider in any hour. Times are monotonic ms and never go back. */
export class HourlyBudget {
  /** Of the last hour, oldest first. */
  readonly #spent: number[] = [];

  /** @param max in an hour, at least 1. @returns when the next one may be sent; `now` or earlier: at once */
  freeAt(max: number, now: number): number {
    while ((this.#spent[0] ?? now) <= now - HOUR_MS) this.#spent.shift();
    const blocking = this.#spent.at(-max);
    return blocking === undefined ? now : blocking + HOUR_MS;
  }

  spend(now: number): void {
    this.#spent.push(now);
  }
}
