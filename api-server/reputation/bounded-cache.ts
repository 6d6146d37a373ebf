interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** Removes the entry that was not asked for the longest time. */
type Evict = () => void;

/**
 * A bound in bytes that several caches share: what was not asked for the longest time leaves first, of whichever cache it
 * is.
 */
export class CacheBudget {
  readonly #maxBytes: number;
  /** Entries of all caches, the one that was not asked for the longest time first. */
  readonly #order = new Map<object, Evict>();
  #bytes = 0;

  /** @param maxBytes of all entries together, by the measure of each cache */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  added(entry: Entry<unknown>, evict: Evict): void {
    this.#order.set(entry, evict);
    this.#bytes += entry.bytes;
    while (this.#bytes > this.#maxBytes) {
      const [oldest] = this.#order.values();
      if (oldest === undefined) return;
      oldest();
    }
  }

  asked(entry: Entry<unknown>): void {
    const evict = this.#order.get(entry);
    if (evict === undefined) return;
    this.#order.delete(entry);
    this.#order.set(entry, evict);
  }

  removed(entry: Entry<unknown>): void {
    if (this.#order.delete(entry)) this.#bytes -= entry.bytes;
  }
}

export interface BoundedCacheOptions<Value> {
  readonly budget: CacheBudget;
  /** Size of a value in memory, about. */
  readonly bytesOf: (value: Value) => number;
  /** Reads a value that the cache does not have. */
  readonly load: (key: string) => Promise<Value>;
}

/** Memory of a key and its place in the maps, about. */
const ENTRY_BYTES = 300;

/**
 * Keeps what was read until it is dropped, or the budget needs its room. A value whose key was dropped while it was being
 * read is answered and not kept: it may be older than the change that dropped it.
 */
export class BoundedCache<Value> {
  readonly #options: BoundedCacheOptions<Value>;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #loading = new Map<string, Promise<Value>>();

  constructor(options: BoundedCacheOptions<Value>) {
    this.#options = options;
  }

  /** Concurrent calls for a key share one read. Rejects as the read does, and keeps nothing then. */
  get(key: string): Promise<Value> {
    const known = this.#entries.get(key);
    if (known === undefined) return this.#loading.get(key) ?? this.#load(key);
    this.#options.budget.asked(known);
    return Promise.resolve(known.value);
  }

  drop(key: string): void {
    this.#loading.delete(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#options.budget.removed(entry);
  }

  dropAll(): void {
    for (const key of [...this.#entries.keys(), ...this.#loading.keys()]) this.drop(key);
  }

  #load(key: string): Promise<Value> {
    const read = async (): Promise<Value> => {
      try {
        const value = await this.#options.load(key);
        if (this.#loading.get(key) === loading) this.#keep(key, value);
        return value;
      } finally {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      }
    };
    const loading = read();
    this.#loading.set(key, loading);
    return loading;
  }

  #keep(key: string, value: Value): void {
    const { budget, bytesOf } = this.#options;
    const entry = { value, bytes: bytesOf(value) + ENTRY_BYTES };
    this.#entries.set(key, entry);
    budget.added(entry, () => this.drop(key));
  }
}
