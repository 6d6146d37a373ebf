/** Whole lines of a file, in their order. */
export interface LineBatch {
  /** Number of its first line; the first line of a file is 1. */
  readonly first: number;
  /** Lines in `bytes`, at least 1. */
  readonly count: number;
  /** Each line ends with LF, except for the last line of a file. The memory belongs to the batch alone. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** No bundle is longer than 1 MiB, and no receipt that keeps to its schema is longer than this. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Bounds the results of a batch, when its lines are short. */
const MAX_LINES = 512;

const LF = 0x0a;

/** The start of a line whose end was not read yet. Keeps at most one byte more than a line may have. */
class OpenLine {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    const room = MAX_LINE_BYTES + 1 - this.#length;
    if (room === 0) return; // an empty part would keep the memory of its chunk too
    const part = bytes.subarray(0, room);
    this.#parts.push(part);
    this.#length += part.length;
  }

  /** All of it, and then `rest`; it is empty afterwards. */
  takeWith(rest: Uint8Array): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#length + rest.length);
    let at = 0;
    for (const part of [...this.#parts, rest]) {
      taken.set(part, at);
      at += part.length;
    }
    this.#parts.length = 0;
    this.#length = 0;
    return taken;
  }
}

/** Where the lines that end in these bytes end, at most `MAX_LINES` of them. */
function endOfLines(bytes: Uint8Array): { readonly end: number; readonly count: number } {
  let end = 0;
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1 && count < MAX_LINES; at = bytes.indexOf(LF, end)) {
    end = at + 1;
    count += 1;
  }
  return { end, count };
}

/**
 * Splits a file into batches of whole lines. A batch has the lines that a chunk completes, at most 512. Of a line that is
 * longer than `MAX_LINE_BYTES` bytes in the middle are dropped: it stays longer than that, so its reader refuses it.
 */
export async function* lineBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LineBatch> {
  const open = new OpenLine();
  let first = 1;
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.length > 0;) {
      const { end, count } = endOfLines(rest);
      if (count === 0) {
        open.add(rest);
        break;
      }
      yield { first, count, bytes: open.takeWith(rest.subarray(0, end)) };
      first += count;
      rest = rest.subarray(end);
    }
  }
  if (open.length > 0) yield { first, count: 1, bytes: open.takeWith(new Uint8Array(0)) };
}

/** The lines of a batch with their numbers, without LF. */
export function* linesOf({ first, bytes }: LineBatch): Generator<readonly [number: number, line: Uint8Array]> {
  let number = first;
  for (let at = 0; at < bytes.length; number += 1) {
    const found = bytes.indexOf(LF, at);
    const end = found === -1 ? bytes.length : found;
    yield [number, bytes.subarray(at, end)];
    at = end + 1;
  }
}
