/** What a process saw of a source and no ledger keeps, since it started. */
export interface Traffic {
  /** Deliveries that came again. */
  readonly duplicates: number;
  /** Deliveries that were refused, for example for a wrong signature. */
  readonly rejected: number;
}

const NONE: Traffic = { duplicates: 0, rejected: 0 };

/** Counts deliveries that leave no row in the ledger, for the statuses of sources. Keys: `namespace/name`. */
export class SourceTraffic {
  readonly #counts = new Map<string, Traffic>();

  count(key: string, what: keyof Traffic): void {
    const before = this.of(key);
    this.#counts.set(key, { ...before, [what]: before[what] + 1 });
  }

  of(key: string): Traffic {
    return this.#counts.get(key) ?? NONE;
  }

  /** The source was deleted. */
  forget(key: string): void {
    this.#counts.delete(key);
  }
}
