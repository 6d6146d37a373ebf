import { verify, type KeyObject } from 'node:crypto';

/**
 * Verifies each new receipt with the published key before its run is answered (trust.md §1.5).
 * It runs in the libuv pool, at most `width` at a time, so that verifications don't compete with the main thread
 * (performance.md §3.1). After a failure, this process must start no more runs.
 */
export class SelfCheck {
  readonly #key: KeyObject;
  readonly #width: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #failed = false;

  constructor(key: KeyObject, width: number) {
    this.#key = key;
    this.#width = Math.max(1, width);
  }

  /** True after the first receipt that did not verify. It never becomes false again. */
  get failed(): boolean {
    return this.#failed;
  }

  /**
   * @param jws compact JWS of this process @returns whether its signature fits the published key; false is remembered
   */
  async check(jws: string): Promise<boolean> {
    const fits = await this.verifies(jws);
    if (!fits) this.#failed = true;
    return fits;
  }

  /** The same for a JWS that another process may have made. A failure does not count for this process. */
  verifies(jws: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push(() => this.#verify(jws, resolve));
      this.#next();
    });
  }

  #next(): void {
    while (this.#running < this.#width) {
      const start = this.#waiting.shift();
      if (start === undefined) return;
      this.#running += 1;
      start();
    }
  }

  #verify(jws: string, resolve: (good: boolean) => void): void {
    const dot = jws.lastIndexOf('.');
    const input = Buffer.from(jws.slice(0, dot), 'latin1');
    const signature = Buffer.from(jws.slice(dot + 1), 'base64url');
    verify(null, input, this.#key, signature, (error, good) => {
      this.#running -= 1;
      resolve(error === null && good);
      this.#next();
    });
  }
}
