/** A set of texts that knows its lowest one. Only removing the lowest one makes the next look-up search the set. */
export class LeastOf<Text extends string> {
  readonly #items = new Set<Text>();
  #least: Text | undefined;

  get size(): number {
    return this.#items.size;
  }

  add(item: Text): this {
    if (this.#items.size === 0 || (this.#least !== undefined && item < this.#least)) this.#least = item;
    this.#items.add(item);
    return this;
  }

  delete(item: Text): void {
    this.#items.delete(item);
    if (item === this.#least) this.#least = undefined;
  }

  /** Undefined: the set is empty. */
  get least(): Text | undefined {
    if (this.#least === undefined)
      for (const item of this.#items) if (this.#least === undefined || item < this.#least) this.#least = item;
    return this.#least;
  }
}
