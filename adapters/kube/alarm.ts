import type { Clock } from '../time/clock.ts';
import { SCOPE_ENDED } from './abort-scope.ts';

/** Node fires a timer with a longer delay at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** One timer that can be brought forward. It does not keep the process alive. */
export class Alarm {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #ring: () => void;
  #at = Infinity;
  #nap = new AbortController();

  /** @param ring must not throw; may be called earlier than asked for, never later */
  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** @param at monotonic ms */
  noLaterThan(at: number): void {
    if (at >= this.#at) return;
    this.clear();
    this.#at = at;
    this.#sleep(at, this.#nap.signal).catch(() => undefined); // rejects only when another time was set
  }

  clear(): void {
    this.#nap.abort(SCOPE_ENDED);
    this.#nap = new AbortController();
    this.#at = Infinity;
  }

  async #sleep(at: number, signal: AbortSignal): Promise<void> {
    // A timer may fire a fraction of a millisecond before the monotonic clock says so.
    for (let left = at - this.#clock.monotonic(); left > 0; left = at - this.#clock.monotonic()) {
      await this.#clock.sleep(Math.min(Math.ceil(left), LONGEST_MS), signal, { ref: false });
    }
    await Promise.resolve();
    if (signal.aborted) return;
    this.#at = Infinity;
    this.#ring();
  }
}
