/** The place of one write among all writes. */
export interface WritePlace {
  /** Its resource version. */
  readonly version: string;
}

interface Pending extends WritePlace {
  /** Set when the write is settled. */
  show: (() => void) | undefined;
}

/**
 * Gives out resource versions, and shows writes in their order, though the ledger may commit them in another order. A
 * reader that has seen a version has seen every write before it.
 */
export class ShowOrder {
  readonly #pending: Pending[] = [];
  #last: number;
  #isShowing = false;

  /** @param last the highest version that was ever given out */
  constructor(last: number) {
    this.#last = last;
  }

  /** The next version. The place must be given to `show` or `drop`, or no later write is shown. */
  enter(): WritePlace {
    this.#last += 1;
    const place = { version: String(this.#last), show: undefined };
    this.#pending.push(place);
    return place;
  }

  /** Runs `act` once all earlier writes are settled: now, or in the turn of the last of them. Resolves after it. */
  show(place: WritePlace, act: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settle(place, () => {
      act();
      resolve();
    });
    return promise;
  }

  /** Must be called when the write did not happen. */
  drop(place: WritePlace): void {
    this.#settle(place, () => undefined);
  }

  #settle(place: WritePlace, show: () => void): void {
    const pending = this.#pending.find((one) => one === place);
    if (pending !== undefined) pending.show = show;
    // A handler may write. Its write is shown after the write that it is handling.
    if (this.#isShowing) return;
    this.#isShowing = true;
    try {
      this.#drain();
    } finally {
      this.#isShowing = false;
    }
  }

  #drain(): void {
    for (let show = this.#pending[0]?.show; show !== undefined; show = this.#pending[0]?.show) {
      this.#pending.shift();
      show();
    }
  }
}
