import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { Transform } from 'node:stream';
import { freeBytes } from '../memory/free-bytes.ts';
import { EXHAUSTED } from './faults.ts';
import type { DialFailure, ResponseMemory } from './port.ts';

export type Headers = readonly (readonly [name: string, value: string])[];

export type ReadBody =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly failure: DialFailure };

/** Takes the bytes of one body. It reports its result once, and ignores later bytes. */
export interface BodySink {
  readonly push: (chunk: Uint8Array) => void;
  readonly end: () => void;
  /** Frees the decoder and the bytes without a result. */
  readonly destroy: () => void;
}

/** Both limits count: 1 500 headers fit below 16 KiB. */
export const MAX_HEADER_BYTES = 16_384;
const MAX_HEADERS = 200;
/** RFC 9659: a decoder must support windows of 8 MiB. A larger window is memory that the sender chooses. */
const ZSTD_WINDOW_LOG = 23;

const TOO_LARGE: ReadBody = { ok: false, failure: { kind: 'response', code: 'response-too-large' } };
const NO_ROOM: ReadBody = { ok: false, failure: EXHAUSTED };
const UNDECODABLE: ReadBody = { ok: false, failure: { kind: 'response', code: 'undecodable' } };
const EMPTY = new Uint8Array(0);

/** RFC 9110 requires zlib; some servers send the bare stream. The first byte of zlib names method 8. */
const inflateFor = (first: Uint8Array): Transform =>
  ((first[0] ?? 0) & 15) === 8 ? createInflate() : createInflateRaw();

const DECODERS = {
  gzip: () => createGunzip(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
  deflate: inflateFor,
} as const satisfies Record<string, (first: Uint8Array) => Transform>;

type Encoding = 'identity' | keyof typeof DECODERS;

const isEncoding = (name: string): name is Encoding => name === 'identity' || Object.hasOwn(DECODERS, name);

export interface Framing {
  readonly encoding: Encoding;
  /** Bytes that the answer announces; 0 when it announces no length. */
  readonly length: number;
  /** Only the end of the connection ends the body. */
  readonly untilClose: boolean;
}

/** Framing of an answer to HEAD, and of 204 and 304, whatever their headers say. */
export const NO_BODY: Framing = { encoding: 'identity', length: 0, untilClose: false };

const valuesOf = (headers: Headers, name: string): readonly string[] =>
  headers.filter(([key]) => key === name).map(([, value]) => value.trim().toLowerCase());

/**
 * How a body is framed. Null for a list of content encodings, an unknown encoding, or a transfer coding beside chunked.
 */
export function framingOf(headers: Headers): Framing | null {
  const [encoding = 'identity', second] = valuesOf(headers, 'content-encoding');
  const coding = valuesOf(headers, 'transfer-encoding');
  if (second !== undefined || !isEncoding(encoding) || coding.some((name) => name !== 'chunked')) return null;
  const [length] = valuesOf(headers, 'content-length');
  return { encoding, length: Number(length ?? 0), untilClose: length === undefined && coding.length === 0 };
}

/**
 * Headers in wire order, names in lower case, from undici's list (names and values alternate).
 * @returns null when there are more than 200
 */
export function readHeaders(raw: unknown): Headers | null {
  const parts: readonly unknown[] = Array.isArray(raw) ? raw : [];
  if (parts.length > MAX_HEADERS * 2) return null;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) headers.push([text(parts[at]).toLowerCase(), text(parts[at + 1])]);
  return headers;
}

const text = (part: unknown): string => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part));

/** Bounds on the bytes of one body. */
export interface KeepLimits {
  /** Largest number of bytes on the wire, and decoded. */
  readonly cap: number;
  /** Bytes for which memory was reserved already; default: 0. */
  readonly held?: number;
  /** Reserves memory for these bytes. @returns false: the memory is used up */
  readonly grow?: ResponseMemory['grow'] | undefined;
}

/** Bytes of a body that need no room among those of large answers, and are read at once. */
export const FREE_BYTES = 65_536;

/** Bytes for which an answer that announces its length needs memory; 0: few, or only its decoder knows. */
export const announcedBytes = ({ encoding, length }: Framing): number =>
  encoding === 'identity' ? Math.max(0, length - FREE_BYTES) : 0;

/**
 * Keeps bytes up to a cap. It gives the memory of chunks back: 64 MB of bytes that are dropped make V8 collect the whole
 * heap, and answers that a bound refuses are some 50 MB a second.
 */
class Kept {
  #chunks: Uint8Array[] = [];
  readonly #limits: KeepLimits;
  #size = 0;
  constructor(limits: KeepLimits) {
    this.#limits = limits;
  }
  /** @returns why the chunk can't be kept; drop all bytes then */
  add(chunk: Uint8Array): ReadBody | undefined {
    this.#chunks.push(chunk);
    const before = this.#size;
    this.#size += chunk.byteLength;
    if (this.#size > this.#limits.cap) return TOO_LARGE;
    const more = this.#size - Math.max(before, FREE_BYTES + (this.#limits.held ?? 0));
    if (more > 0 && this.#limits.grow?.(more) === false) return NO_ROOM;
    return undefined;
  }
  /** The whole body; nothing is added after that. */
  whole(): Uint8Array {
    const chunks = this.#chunks;
    this.#chunks = [];
    const [only] = chunks;
    if (only === undefined) return EMPTY;
    if (chunks.length === 1) return only;
    const body = Buffer.concat(chunks);
    // The parser may still have the last one.
    for (const chunk of chunks.slice(0, -1)) freeBytes(chunk);
    return body;
  }
  /** Gives all back in the next turn of the event loop: until then the parser may have the last chunk. */
  drop(): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    if (chunks.length === 0) return;
    setImmediate(() => {
      for (const chunk of chunks) freeBytes(chunk);
    });
  }
}

function plainSink(limits: KeepLimits, done: (result: ReadBody) => void): BodySink {
  const kept = new Kept(limits);
  let settled = false;
  const settle = (result: ReadBody): void => {
    if (!settled) done(result);
    settled = true;
  };
  return {
    push: (chunk) => {
      const fault = settled ? undefined : kept.add(chunk);
      if (fault !== undefined) settle(fault);
    },
    end: () => {
      if (!settled) settle({ ok: true, body: kept.whole() });
    },
    destroy: () => kept.drop(),
  };
}

/**
 * Decodes chunk by chunk and counts after every chunk, on the wire and decoded. A decompression bomb stops at the cap
 * plus one chunk.
 */
class DecodingSink implements BodySink {
  readonly #kept: Kept;
  readonly #cap: number;
  readonly #open: (first: Uint8Array) => Transform;
  readonly #done: (result: ReadBody) => void;
  #wire = 0;
  #decoder: Transform | undefined;
  #settled = false;

  constructor(open: (first: Uint8Array) => Transform, limits: KeepLimits, done: (result: ReadBody) => void) {
    this.#open = open;
    this.#cap = limits.cap;
    this.#kept = new Kept(limits);
    this.#done = done;
  }

  push = (chunk: Uint8Array): void => {
    if (this.#settled) return;
    this.#wire += chunk.byteLength;
    if (this.#wire > this.#cap) this.#settle(TOO_LARGE);
    else this.#start(chunk).write(chunk);
  };

  end = (): void => {
    if (this.#decoder === undefined) this.#settle({ ok: true, body: EMPTY });
    else if (!this.#settled) this.#decoder.end();
  };

  destroy = (): void => {
    this.#settled = true;
    this.#decoder?.destroy();
    this.#kept.drop();
  };

  #settle(result: ReadBody): void {
    if (this.#settled) return;
    this.destroy();
    this.#done(result);
  }

  #start(first: Uint8Array): Transform {
    if (this.#decoder !== undefined) return this.#decoder;
    const decoder = this.#open(first);
    this.#decoder = decoder;
    decoder.on('data', (chunk: Uint8Array) => {
      const fault = this.#settled ? undefined : this.#kept.add(chunk);
      if (fault !== undefined) this.#settle(fault);
    });
    decoder.on('error', () => this.#settle(UNDECODABLE));
    decoder.on('end', () => this.#settle({ ok: true, body: this.#kept.whole() }));
    return decoder;
  }
}

/**
 * Collects one body, decoded.
 * @param done called at most once
 */
export function createBodySink(encoding: Encoding, limits: KeepLimits, done: (result: ReadBody) => void): BodySink {
  return encoding === 'identity' ? plainSink(limits, done) : new DecodingSink(DECODERS[encoding], limits, done);
}
