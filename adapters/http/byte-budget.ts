/** A caller or an address whose bytes are counted together. */
export interface Holder<Reason extends string> {
  readonly name: string;
  /** 0: no bound. */
  readonly limitBytes: number;
  /** Given to `cut` when this bound is met. */
  readonly reason: Reason;
}

/** Bytes that the process holds for one request. */
export interface ByteAccount {
  /**
   * Counts further bytes. When a bound is met, this account or others are cut.
   * @returns whether the account is still open
   */
  readonly grow: (bytes: number) => boolean;
  /** The bytes are held no longer. It may be called again. */
  readonly close: () => void;
}

/** The bytes of one holder. Owned by `ByteBudget`. */
interface Total {
  readonly name: string;
  /** The oldest first. */
  readonly entries: Set<Entry>;
  bytes: number;
}

interface Entry {
  readonly totals: readonly Total[];
  readonly cutForRoom: () => void;
  bytes: number;
  isOpen: boolean;
}

/**
 * Bytes that strangers make the process hold: half-sent bodies, answers that are not read. Each holder has a bound; an
 * account that goes beyond it is cut. When all together go beyond theirs, the oldest account of the holder with most
 * bytes is cut.
 */
export class ByteBudget<Reason extends string> {
  readonly #limitBytes: number;
  readonly #full: Reason;
  readonly #totals = new Map<string, Total>();
  #bytes = 0;

  /**
   * @param limitBytes of all together; 0: no bound
   * @param full given to `cut` when that bound is met
   */
  constructor(limitBytes: number, full: Reason) {
    this.#limitBytes = limitBytes;
    this.#full = full;
  }

  /** Bytes that are held at present. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * @param holders whose bounds count; at least one
   * @param cut called when the account was closed because a bound was met; its owner then drops the bytes
   */
  open(holders: readonly Holder<Reason>[], cut: (reason: Reason) => void): ByteAccount {
    const totals = holders.map(({ name }) => this.#totalOf(name));
    const entry: Entry = { totals, cutForRoom: () => cut(this.#full), bytes: 0, isOpen: true };
    for (const { entries } of totals) entries.add(entry);
    const grow = (bytes: number): boolean => {
      if (!entry.isOpen) return false;
      const met = holders.find(({ limitBytes }, at) => limitBytes > 0 && (totals[at]?.bytes ?? 0) + bytes > limitBytes);
      if (met === undefined) this.#add(entry, bytes);
      else {
        this.#close(entry);
        cut(met.reason);
      }
      return entry.isOpen;
    };
    return { grow, close: () => this.#close(entry) };
  }

  #totalOf(name: string): Total {
    const total = this.#totals.get(name) ?? { name, entries: new Set(), bytes: 0 };
    this.#totals.set(name, total);
    return total;
  }

  #add(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    for (const total of entry.totals) total.bytes += bytes;
    this.#bytes += bytes;
    if (this.#limitBytes === 0) return;
    while (this.#bytes > this.#limitBytes) this.#cutOldestOfMost();
  }

  #cutOldestOfMost(): void {
    let most: Total | undefined;
    for (const total of this.#totals.values()) if (total.bytes > (most?.bytes ?? 0)) most = total;
    // Bytes are held, so there is one.
    for (const oldest of most?.entries ?? []) {
      this.#close(oldest);
      return oldest.cutForRoom();
    }
  }

  #close(entry: Entry): void {
    if (!entry.isOpen) return;
    entry.isOpen = false;
    this.#bytes -= entry.bytes;
    for (const total of entry.totals) {
      total.bytes -= entry.bytes;
      total.entries.delete(entry);
      if (total.entries.size === 0) this.#totals.delete(total.name);
    }
  }
}
