/** Deliveries that wait to be mapped, as receiving sees them: the rows themselves are in the ledger. */
export interface IngestQueue {
  /** A delivery was accepted. Returns at once and never throws. */
  readonly wake: () => void;
}

/** Tells the one that maps deliveries of this process when there is work. Without a listener a call does nothing. */
export class DeliveryBell implements IngestQueue {
  #listener: (() => void) | undefined;

  readonly wake = (): void => this.#listener?.();

  /** @param listener must neither throw nor wait; the last one counts */
  listen(listener: () => void): void {
    this.#listener = listener;
  }
}
