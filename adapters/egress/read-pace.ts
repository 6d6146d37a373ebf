/**
 * Bytes of large answers that one turn of the event loop reads: 2 ms on a slow core. One piece more may come of each
 * connection before it stops.
 */
const TURN_BYTES = 262_144;

/**
 * Spreads the reading of large answers over turns of the event loop, in turns by exchange. Of each connection Node reads up
 * to 2 MiB in one turn. Without this bound, twelve answers of 4 MiB that arrive together stop all else for 400 ms.
 */
export class ReadPace {
  readonly #nextTurn: (callback: () => void) => void;
  #waiting: (() => void)[] = [];
  /** Bytes of this turn. */
  #read = 0;
  #isTimed = false;

  /** @param nextTurn calls back once in the next turn of the event loop, after its input was read */
  constructor(nextTurn: (callback: () => void) => void = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  /**
   * Counts bytes that were read.
   * @param resume called in a later turn, only after true
   * @returns the exchange must read no further until then
   */
  take(bytes: number, resume: () => void): boolean {
    this.#read += bytes;
    this.#time();
    if (this.#read <= TURN_BYTES) return false;
    this.#waiting.push(resume);
    return true;
  }

  /** Calls `resume` in a later turn, after those that wait. */
  resumeLater(resume: () => void): void {
    this.#waiting.push(resume);
    this.#time();
  }

  #time(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#nextTurn(this.#turn);
  }

  /** An exchange that is resumed reads at once what its connection holds, and may wait again. */
  readonly #turn = (): void => {
    this.#isTimed = false;
    this.#read = 0;
    const ready = this.#waiting;
    this.#waiting = [];
    let next = 0;
    for (; next < ready.length && this.#read <= TURN_BYTES; next += 1) ready[next]?.();
    // Those that waited longest are first again.
    this.#waiting = [...ready.slice(next), ...this.#waiting];
    if (this.#waiting.length > 0) this.#time();
  };
}
