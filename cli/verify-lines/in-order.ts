/** Writes results in the order in which their work began, each as soon as all before it are written. */
export class InOrder<Result> {
  readonly #most: number;
  readonly #write: (result: Result) => Promise<void>;
  /** A promise for each result that is not written yet, oldest first. */
  readonly #unwritten: Promise<void>[] = [];

  /** @param most results that may be unwritten, at least 1 */
  constructor(most: number, write: (result: Result) => Promise<void>) {
    this.#most = most;
    this.#write = write;
  }

  /** Resolves when there is room for another result. @throws an error of `write` or of the work */
  async add(result: Promise<Result>): Promise<void> {
    const before = this.#unwritten.at(-1);
    const written = this.#writeAfter(before, result);
    written.catch(() => undefined); // it is thrown where it is awaited
    this.#unwritten.push(written);
    while (this.#unwritten.length >= this.#most) {
      await this.#unwritten[0];
      void this.#unwritten.shift();
    }
  }

  /** Resolves when all results are written. @throws as `add` */
  async end(): Promise<void> {
    await Promise.all(this.#unwritten);
  }

  async #writeAfter(before: Promise<void> | undefined, result: Promise<Result>): Promise<void> {
    await before;
    await this.#write(await result);
  }
}
