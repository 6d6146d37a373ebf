import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';

const LONGEST_MS = 5000;
const POLL_MS = 50;

/** Waits for signed checkpoints. Callers that wait at the same time share one read. */
export class CheckpointWait {
  readonly #ledger: Pick<Ledger, 'checkpoint'>;
  readonly #clock: Clock;
  #signed = 0;
  #reading: Promise<void> | undefined;

  constructor(ledger: Pick<Ledger, 'checkpoint'>, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /**
   * What is shown is covered by a signed checkpoint: a stranger can compute it again.
   * @returns false: no checkpoint covers so many entries within 5 s @throws LedgerError
   */
  async covers(size: number, signal: AbortSignal): Promise<boolean> {
    const end = this.#clock.monotonic() + LONGEST_MS;
    while (this.#signed < size) {
      await this.#read();
      if (this.#signed >= size) break;
      if (this.#clock.monotonic() >= end) return false;
      await this.#clock.sleep(POLL_MS, signal);
    }
    return true;
  }

  #read(): Promise<void> {
    this.#reading ??= this.#ledger
      .checkpoint()
      .then((checkpoint) => void (this.#signed = Math.max(this.#signed, checkpoint?.size ?? 0)))
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }
}
