/** A count that the threads of a process share: one adds, others see that it changes. Beyond 2^31 it begins again. */
export class SharedCount {
  /** Crosses to another thread, which makes its own object of it. */
  readonly memory: SharedArrayBuffer;
  readonly #values: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#values = new Int32Array(memory);
  }

  add(): void {
    Atomics.add(this.#values, 0, 1);
  }

  read(): number {
    return Atomics.load(this.#values, 0);
  }
}
