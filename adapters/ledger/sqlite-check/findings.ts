/** Part of a ledger's file that is checked. */
export const CHECKED_PARTS = ['file', 'log', 'receipts'] as const;

export type CheckedPart = (typeof CHECKED_PARTS)[number];

/** Faults of one part. */
export interface PartFaults {
  readonly count: number;
  /** Which fault was found first. */
  readonly first: string;
}

/** What a check found, by part; a part without a fault is absent. */
export type FoundFaults = Readonly<Partial<Record<CheckedPart, PartFaults>>>;

/** Counts faults: a broken disk has more than a line can name. */
export class Findings {
  readonly #faults = new Map<CheckedPart, PartFaults>();

  add(part: CheckedPart, fault: string): void {
    const { count, first } = this.#faults.get(part) ?? { count: 0, first: fault };
    this.#faults.set(part, { count: count + 1, first });
  }

  found(): FoundFaults {
    return Object.fromEntries(this.#faults);
  }
}
