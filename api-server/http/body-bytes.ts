/**
 * The bytes of a body as they arrive. A body of one chunk is not copied. A larger one is copied into memory that grows
 * with what has arrived, because a chunk may have one byte, and the object around it has a hundred.
 */
export class BodyBytes {
  readonly #mostBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  /** @param mostBytes the declared length, or the limit */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns how many bytes more are held. @throws RangeError more bytes than `mostBytes` */
  add(chunk: Buffer): number {
    const before = this.#bytes.length;
    const needed = this.#size + chunk.length;
    if (this.#size === 0) this.#bytes = chunk;
    else {
      if (needed > before) this.#makeRoom(needed);
      this.#bytes.set(chunk, this.#size);
    }
    this.#size = needed;
    return this.#bytes.length - before;
  }

  whole(): Uint8Array {
    return this.#size === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#size);
  }

  #makeRoom(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#mostBytes, Math.max(needed, 2 * this.#size)));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}
