/** A stretch of a view: a copy of as many bytes of the text, or what stands there for encoded places. */
interface Stretch {
  /** Its first byte in the view. */
  readonly at: number;
  /** Its first byte in the text. */
  readonly from: number;
  /** Bytes of the text for each byte of it; 0: all its bytes stand for one place. */
  readonly perByte: number;
}

/** A text with an encoding taken off, and where its bytes come from. */
export interface View {
  readonly bytes: Uint8Array;
  /** In order; the last one is empty, at the ends of both. */
  readonly stretches: readonly Stretch[];
}

/** What stands for an encoded place; no bytes: it is left out. */
export interface Place {
  readonly bytes: readonly number[];
  /** Bytes of the text that it takes up, at least 1. */
  readonly length: number;
}

/** Reads an encoded place. @returns undefined: there is none at this offset */
type ReadPlace = (text: Uint8Array, at: number) => Place | undefined;

/** Finds bytes in a text, in order: each search for one of them begins where its last one ended. */
class Marks {
  readonly #text: Uint8Array;
  readonly #marks: readonly number[];
  readonly #next: number[];

  constructor(text: Uint8Array, marks: readonly number[]) {
    this.#text = text;
    this.#marks = marks;
    this.#next = marks.map((mark) => text.indexOf(mark));
  }

  /** The first mark at or after an offset, −1 without one. The offsets of calls must not fall. */
  from(offset: number): number {
    let first = -1;
    for (let index = 0; index < this.#marks.length; index += 1) {
      let next = this.#next[index] ?? -1;
      if (next >= 0 && next < offset) {
        next = this.#nextOf(this.#marks[index] ?? 0, offset);
        this.#next[index] = next;
      }
      if (next >= 0 && (first < 0 || next < first)) first = next;
    }
    return first;
  }

  /** Escapes often follow each other: a look at the next byte takes a hundredth of a search. */
  #nextOf(mark: number, offset: number): number {
    return this.#text[offset] === mark ? offset : this.#text.indexOf(mark, offset);
  }
}

/** Writes a view from its beginning: copies of the text, and what stands for its encoded places. */
class ViewWriter {
  readonly #text: Uint8Array;
  readonly #bytes: Uint8Array;
  readonly #stretches: Stretch[] = [];
  #length = 0;
  #read = 0;

  constructor(text: Uint8Array) {
    this.#text = text;
    this.#bytes = new Uint8Array(text.length);
  }

  /** Takes over the text up to an offset. */
  copy(end: number): void {
    if (end === this.#read) return;
    this.#begin(1);
    this.#bytes.set(this.#text.subarray(this.#read, end), this.#length);
    this.#length += end - this.#read;
    this.#read = end;
  }

  /** Takes an encoded place, which has never fewer bytes than what stands for it. */
  put({ bytes, length }: Place): void {
    const perByte = bytes.length === 1 ? length : 0;
    // Places of one byte that follow each other are one stretch: a text may be nothing but escapes.
    if (perByte < 2 || this.#stretches.at(-1)?.perByte !== perByte) this.#begin(perByte);
    for (const byte of bytes) {
      this.#bytes[this.#length] = byte;
      this.#length += 1;
    }
    this.#read += length;
  }

  end(): View {
    this.copy(this.#text.length);
    this.#begin(0);
    return { bytes: this.#bytes.subarray(0, this.#length), stretches: this.#stretches };
  }

  #begin(perByte: number): void {
    this.#stretches.push({ at: this.#length, from: this.#read, perByte });
  }
}

/**
 * Takes one encoding off a text.
 * @param marks bytes with which an encoded place may begin
 * @returns undefined: nothing of the text is encoded so
 */
export function viewOf(text: Uint8Array, marks: readonly number[], read: ReadPlace): View | undefined {
  if (!marks.some((mark) => text.includes(mark))) return undefined;
  const places = new Marks(text, marks);
  let writer: ViewWriter | undefined;
  for (let at = places.from(0); at >= 0;) {
    const place = read(text, at);
    if (place !== undefined) {
      writer ??= new ViewWriter(text);
      writer.copy(at);
      writer.put(place);
    }
    at = places.from(at + (place?.length ?? 1));
  }
  return writer?.end();
}

/** The offset in the text of an offset in its view. */
export function offsetInText({ stretches }: View, offset: number): number {
  let low = 0;
  let high = stretches.length - 1;
  // Of stretches that begin at one offset, only the last is not empty.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((stretches[middle]?.at ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const { at = 0, from = 0, perByte = 0 } = stretches[low] ?? {};
  return from + (offset - at) * perByte;
}
