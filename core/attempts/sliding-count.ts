/**
 * Counts events in a sliding window. The window is a ring of equal parts, and the oldest part expires as a whole.
 * So the count covers the window, or up to one part less. Times never go back.
 */
export class SlidingCount {
  readonly #parts: Uint32Array;
  readonly #partMs: number;
  /** Number of the newest part since time 0. */
  #newest = -1;
  #total = 0;

  /**
   * @param windowMs length of the window
   * @param parts number of parts in the window
   */
  constructor(windowMs: number, parts: number) {
    this.#parts = new Uint32Array(parts);
    this.#partMs = windowMs / parts;
  }

  /** Counts one event. @param now monotonic ms */
  add(now: number): void {
    this.#forget(now);
    const index = this.#newest % this.#parts.length;
    this.#parts[index] = (this.#parts[index] ?? 0) + 1;
    this.#total += 1;
  }

  /** @param now monotonic ms */
  total(now: number): number {
    this.#forget(now);
    return this.#total;
  }

  clear(): void {
    this.#parts.fill(0);
    this.#total = 0;
  }

  #forget(now: number): void {
    const part = Math.floor(now / this.#partMs);
    if (part <= this.#newest) return;
    const { length } = this.#parts;
    if (part - this.#newest >= length) this.clear();
    else
      for (let old = this.#newest + 1; old <= part; old += 1) {
        this.#total -= this.#parts[old % length] ?? 0;
        this.#parts[old % length] = 0;
      }
    this.#newest = part;
  }
}
