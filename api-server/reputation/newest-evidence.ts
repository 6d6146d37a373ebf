import type { Ledger } from '../../adapters/ledger/port.ts';
import { lineOf, orgOf } from '../../core/reputation/line.ts';

/** Newest entries of the log that concern the score of a version; -1: there is none. */
export interface NewestOf {
  readonly run: number;
  /** Anything but a run. */
  readonly event: number;
}

/** Index of the newest entry of each subject, in memory. `refresh` follows the ledger, whichever process wrote it. */
export class NewestEvidence {
  readonly #ledger: Pick<Ledger, 'newestEvidence'>;
  readonly #indexes = { run: new Map<string, number>(), event: new Map<string, number>() };
  readonly #lines = new Map<string, string>();
  #last = -1;
  #refreshing: Promise<unknown> = Promise.resolve();

  constructor(ledger: Pick<Ledger, 'newestEvidence'>) {
    this.#ledger = ledger;
  }

  /** Reads what is new. Calls wait for each other. @returns whether there was anything @throws LedgerError */
  refresh(): Promise<boolean> {
    const next = this.#refreshing.then(() => this.#read());
    this.#refreshing = next.catch(() => undefined);
    return next;
  }

  readonly of = (orbId: string): NewestOf => {
    const line = this.#lineOf(orbId);
    const { run, event } = this.#indexes;
    return {
      run: run.get(line) ?? -1,
      event: Math.max(event.get(orbId) ?? -1, event.get(line) ?? -1, event.get(orgOf(orbId)) ?? -1),
    };
  };

  async #read(): Promise<boolean> {
    const before = this.#last;
    for (;;) {
      const rows = await this.#ledger.newestEvidence(this.#last);
      for (const { subject, kind, logIndex } of rows) {
        this.#indexes[kind].set(subject, logIndex);
        this.#last = logIndex;
      }
      if (rows.length === 0) return this.#last > before;
    }
  }

  /** Versions are looked at again and again, and their number is bounded by what is published. */
  #lineOf(orbId: string): string {
    const known = this.#lines.get(orbId);
    if (known !== undefined) return known;
    const line = lineOf(orbId);
    this.#lines.set(orbId, line);
    return line;
  }
}
