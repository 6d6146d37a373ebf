import { freeBytes } from '../../adapters/memory/free-bytes.ts';

/** A smaller chunk is copied: the object around a chunk takes a hundred bytes, and a stranger may send single bytes. */
const SMALL_BYTES = 4096;
const LEAST_ROOM = 1024;
const MOST_ROOM = 65_536;

/** The bytes of a body as they arrive. Large chunks are kept as they are, small ones share memory. */
export class BodyBytes {
  readonly #chunks: Buffer[] = [];
  /** For small chunks, with the number of bytes that are used. */
  #room: Buffer = Buffer.alloc(0);
  #used = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns how many bytes more are held */
  add(chunk: Buffer): number {
    this.#size += chunk.length;
    // The first one is often the only one.
    if (this.#chunks.length > 0 && chunk.length < SMALL_BYTES) return this.#copy(chunk);
    this.#flush();
    this.#chunks.push(chunk);
    return chunk.length;
  }

  /** The whole body; nothing is added after that. */
  whole(): Uint8Array {
    this.#flush();
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only !== undefined) return only;
    const whole = Buffer.concat(this.#chunks, this.#size);
    this.free();
    return whole;
  }

  /** Gives the memory back; what was added is gone. */
  free(): void {
    for (const chunk of this.#chunks) freeBytes(chunk);
    this.#chunks.length = 0;
  }

  /** A chunk that does not fit is split: a room whose rest was left unused would be held for nothing. */
  #copy(chunk: Buffer): number {
    const fits = chunk.copy(this.#room, this.#used);
    this.#used += fits;
    const rest = chunk.length - fits;
    if (rest === 0) return 0;
    this.#flush();
    const more = Math.max(rest, Math.min(MOST_ROOM, Math.max(LEAST_ROOM, this.#size)));
    this.#room = Buffer.allocUnsafeSlow(more);
    this.#used = chunk.copy(this.#room, 0, fits);
    return more;
  }

  /** Puts what the room holds behind the chunks before it. The rest of the room is used further. */
  #flush(): void {
    if (this.#used === 0) return;
    this.#chunks.push(this.#room.subarray(0, this.#used));
    this.#room = this.#room.subarray(this.#used);
    this.#used = 0;
  }
}
