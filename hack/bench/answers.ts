const HEADER_END = Buffer.from('\r\n\r\n');

/** An answer with the length of its body in a header, as those of the platform have it. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Answers out of the bytes of a connection. A large one is put together once, when all of it has come. */
export class Answers {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that an answer needs, as far as that is known. */
  #needed = 0;

  /** @returns the answer that these bytes complete: a caller sends nothing more before it has one */
  take(chunk: Buffer): Answer | undefined {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return undefined;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    const end = bytes.indexOf(HEADER_END);
    if (end < 0) return undefined;
    const head = bytes.toString('latin1', 0, end);
    const from = end + HEADER_END.length;
    this.#needed = from + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#size < this.#needed) return undefined;
    const body = bytes.subarray(from, this.#needed);
    [this.#chunks, this.#size, this.#needed] = [[], 0, 0];
    return { status: Number(head.slice(9, 12)), body };
  }
}
