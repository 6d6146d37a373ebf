import { sha256 } from '../../../adapters/keys/primitives.ts';
import { readEntry, type LogEntry } from '../../../core/log-entry/entry.ts';
import { leafHash } from '../../../core/merkle/hash.ts';
import { openEntryBundle, tilePath } from '../../../core/merkle/tiles.ts';
import { appendLeaf, rootOf, type Edge } from '../../../core/merkle/tree.ts';
import { takeCheckpoint, type Observations } from '../witness.ts';

/** An entry with its index. */
export interface PlacedEntry {
  readonly index: number;
  readonly entry: LogEntry;
}

const WIDTH = 256;

async function fetchBytes(url: string): Promise<Uint8Array | undefined> {
  const response = await fetch(url);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return response.status === 200 ? bytes : undefined;
}

/** The log of a platform as a stranger reads it again and again: it may only grow, and each root must be that of its entries. */
export class WatchedLog {
  readonly #seen: Observations;
  readonly #texts: string[] = [];
  readonly #entries: PlacedEntry[] = [];
  #edge: Edge = [];
  /** One read after the other: both would add the same entries. */
  #reading: Promise<unknown> = Promise.resolve();

  /** @param seen receives checkpoints and faults */
  constructor(seen: Observations) {
    this.#seen = seen;
  }

  /** Entries that the newest checkpoint covers. @throws TypeError the platform does not answer */
  read(url: string): Promise<readonly PlacedEntry[]> {
    const reading = this.#reading.then(() => this.#readNow(url));
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #readNow(url: string): Promise<readonly PlacedEntry[]> {
    const bytes = await fetchBytes(`${url}/log/checkpoint`);
    if (bytes === undefined) return this.#entries; // nothing is logged yet
    const note = Buffer.from(bytes).toString('utf8');
    takeCheckpoint(this.#seen, note);
    const [, sizeText = '', root = ''] = note.split('\n');
    const size = Number(sizeText);
    if (size < this.#texts.length)
      this.#seen.faults.push(`the log shrank from ${this.#texts.length} to ${size} entries`);
    if (size <= this.#texts.length) return this.#entries;
    for (let bundle = Math.floor(this.#texts.length / WIDTH); bundle * WIDTH < size; bundle += 1)
      await this.#readBundle(url, bundle, Math.min(WIDTH, size - bundle * WIDTH));
    if (this.#texts.length === size && Buffer.from(rootOf(this.#edge, sha256)).toString('base64') !== root)
      this.#seen.faults.push(`the entries do not give the root of the checkpoint of size ${size}`);
    return this.#entries;
  }

  async #readBundle(url: string, index: number, width: number): Promise<void> {
    const path = tilePath({ level: 'entries', index, width });
    const entries = openEntryBundle((await fetchBytes(`${url}/log/${path}`)) ?? new Uint8Array()) ?? [];
    if (entries.length !== width) this.#seen.faults.push(`${path} has ${entries.length} entries`);
    for (const [offset, bytes] of entries.entries()) this.#take(index * WIDTH + offset, Buffer.from(bytes));
  }

  #take(index: number, bytes: Buffer): void {
    const text = bytes.toString('utf8');
    const known = this.#texts[index];
    if (known !== undefined && known !== text) this.#seen.faults.push(`the entry ${index} has changed`);
    if (index !== this.#texts.length) return;
    this.#texts.push(text);
    ({ edge: this.#edge } = appendLeaf(this.#edge, index, leafHash(bytes, sha256), sha256));
    const entry = readEntry(text);
    if (entry === undefined) this.#seen.faults.push(`the entry ${index} is of no known kind`);
    else this.#entries.push({ index, entry });
  }
}
