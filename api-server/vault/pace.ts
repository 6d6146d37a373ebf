import type { Clock } from '../../adapters/time/clock.ts';

interface PaceOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Aborts waiting actions. */
  readonly signal: AbortSignal;
  readonly gapMs: number;
  readonly act: () => void;
}

/** Acts at once on a call of `ask`, then at most once per gap. All calls during a gap cause one action at its end. */
export class Pace {
  readonly #options: PaceOptions;
  #next = -Infinity;
  #isWaiting = false;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  ask(): void {
    if (this.#isWaiting || this.#options.signal.aborted) return;
    if (this.#left() > 0) void this.#wait();
    else this.#act();
  }

  /** Lengthens the present gap. @param ms from now */
  holdFor(ms: number): void {
    this.#next = Math.max(this.#next, this.#options.clock.monotonic() + ms);
  }

  #left(): number {
    return this.#next - this.#options.clock.monotonic();
  }

  #act(): void {
    const { clock, gapMs, act } = this.#options;
    this.#next = clock.monotonic() + gapMs;
    act();
  }

  async #wait(): Promise<void> {
    const { clock, signal } = this.#options;
    this.#isWaiting = true;
    // The gap may have become longer meanwhile.
    for (let left = this.#left(); left > 0 && !signal.aborted; left = this.#left())
      await clock.sleep(left, signal, { ref: false }).catch(() => undefined);
    this.#isWaiting = false;
    if (!signal.aborted) this.#act();
  }
}
