import { sha256 } from '../../adapters/keys/primitives.ts';
import { sameBytes } from '../../core/json/hex.ts';
import { readEntry } from '../../core/log-entry/entry.ts';
import { EntryTree } from '../../core/merkle/entry-tree.ts';
import type { Checkpoint } from '../../core/merkle/open-checkpoint.ts';
import { openEntryBundle, tilePath } from '../../core/merkle/tiles.ts';
import { EXIT, Failure, invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { PARALLEL, type LogFiles } from './log-files.ts';

const WIDTH = 256;
const PROGRESS_MS = 2000;

/** Bytes that contradict the checkpoint, or each other. */
const tampered = (message: string): Failure => new Failure(EXIT.negative, message);

/** A partial bundle may vanish once it is full: the full one then has its entries too. */
async function readBundle(files: LogFiles, index: number, width: number): Promise<readonly Uint8Array[]> {
  const path = tilePath({ level: 'entries', index, width });
  const full = tilePath({ level: 'entries', index, width: WIDTH });
  const bytes = (await files.read(path)) ?? (width === WIDTH ? undefined : await files.read(full));
  if (bytes === undefined) throw invalid(`${files.name}: the log has no ${path}`);
  const entries = openEntryBundle(bytes);
  if (entries === undefined || entries.length < width) throw tampered(`${files.name}: ${path} is no bundle of entries`);
  return entries.slice(0, width);
}

/** The bundles of the log in their order, some of them read ahead. */
async function* bundlesOf(files: LogFiles, size: number): AsyncGenerator<readonly Uint8Array[]> {
  const count = Math.ceil(size / WIDTH);
  const ahead: Promise<readonly Uint8Array[]>[] = [];
  for (let next = 0; next < count || ahead.length > 0;) {
    while (next < count && ahead.length < PARALLEL) {
      const bundle = readBundle(files, next, Math.min(WIDTH, size - next * WIDTH));
      bundle.catch(() => undefined); // it is awaited later, or an earlier one fails first
      ahead.push(bundle);
      next += 1;
    }
    const first = ahead.shift();
    if (first !== undefined) yield await first;
  }
}

const textOf = (entry: Uint8Array): string =>
  Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength).toString('utf8');

const RETRACTION = '"kind":"retraction"';

/** The index that an entry retracts; undefined for every other entry. */
function retractedBy(text: string): number | undefined {
  const entry = text.includes(RETRACTION) ? readEntry(text) : undefined;
  return entry?.kind === 'retraction' ? entry.index : undefined;
}

/** Reports at most every 2 seconds, so a short log prints nothing. */
function progressOf(total: number, io: Io): (read: number) => void {
  let last = io.clock.monotonic();
  return (read) => {
    const now = io.clock.monotonic();
    if (now - last < PROGRESS_MS) return;
    last = now;
    io.err(`${read} of ${total} entries …\n`);
  };
}

/** Called for each entry, in the order of the log. */
type Visit = (index: number, text: string) => void;

/** What is read of a log. */
export interface LogRange {
  /** Signed: all its entries are read. */
  readonly checkpoint: Checkpoint;
  /** Entries to visit, 1 … size of the checkpoint; the others are only read to check the root. */
  readonly size: number;
}

/** Reads a log once, from its first entry to its checkpoint. Texts are made one by one, so that they die young. */
export class LogReader {
  readonly #files: LogFiles;
  readonly #tree = new EntryTree(sha256);
  /** The bundle that is visited, and the index of its first entry. */
  #entries: readonly Uint8Array[] = [];
  #from = 0;
  /** An earlier bundle that a retraction of this one needs. */
  #earlier: { readonly from: number; readonly entries: readonly Uint8Array[] } = { from: 0, entries: [] };

  constructor(files: LogFiles) {
    this.#files = files;
  }

  /** While an entry is visited: the text of an earlier one that it retracts. */
  readonly entryAt = (index: number): string | undefined => {
    const entry = this.#entries[index - this.#from] ?? this.#earlier.entries[index - this.#earlier.from];
    return entry === undefined ? undefined : textOf(entry);
  };

  /** Reads the bundle of an earlier entry once more. It must be what it was the first time. */
  async #fetchEarlier(index: number): Promise<void> {
    const bundle = Math.floor(index / WIDTH);
    const entries = await readBundle(this.#files, bundle, WIDTH);
    if (!this.#tree.isBundle(bundle, entries)) {
      throw tampered(`${this.#files.name}: the entries from ${bundle * WIDTH} on changed while they were read`);
    }
    this.#earlier = { from: bundle * WIDTH, entries };
  }

  async #visit(entries: readonly Uint8Array[], visit: Visit): Promise<void> {
    this.#entries = entries;
    for (const [offset, entry] of entries.entries()) {
      const text = textOf(entry);
      const retracted = retractedBy(text);
      if (retracted !== undefined && retracted < this.#from && this.entryAt(retracted) === undefined) {
        await this.#fetchEarlier(retracted);
      }
      visit(this.#from + offset, text);
    }
  }

  /**
   * @returns the root of the first `size` entries, 32 bytes
   * @throws Failure (1) the entries do not give the checkpoint's root
   */
  async read({ checkpoint, size }: LogRange, visit: Visit, io: Io): Promise<Uint8Array> {
    const progress = progressOf(checkpoint.size, io);
    let root: Uint8Array | undefined;
    let rest: readonly Uint8Array[] = [];
    for await (const entries of bundlesOf(this.#files, checkpoint.size)) {
      const wanted = entries.slice(0, Math.max(0, size - this.#from));
      if (this.#from + wanted.length === size) root ??= this.#tree.rootWith(wanted);
      await this.#visit(wanted, visit);
      if (entries.length === WIDTH) this.#tree.add(entries);
      else rest = entries;
      this.#from += entries.length;
      progress(this.#from);
    }
    if (root === undefined || !sameBytes(this.#tree.rootWith(rest), checkpoint.root)) {
      throw tampered(
        `${this.#files.name}: its entries do not give the root of the checkpoint of ${checkpoint.size} entries`,
      );
    }
    return root;
  }
}
