import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { entryText } from '../../core/log-entry/entry.ts';

export interface RetractionParts {
  readonly ledger: Pick<Ledger, 'retract'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Called after an entry was written that makes versions due for an evaluation. */
  readonly changed: () => void;
}

/** Result of a retraction; `logIndex` is the place of its own entry. */
export type Retracted =
  | { readonly kind: 'done'; readonly logIndex: number }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-retractable' };

/** Takes entries out of scores, by an entry that names them: the log itself only grows (trust.md §2.1). */
export class Retractions {
  readonly #parts: RetractionParts;

  constructor(parts: RetractionParts) {
    this.#parts = parts;
  }

  /** @param index of the entry that counts no more, an integer ≥ 0 @throws LedgerError */
  async retract(index: number, reason: string): Promise<Retracted> {
    const { ledger, clock, changed } = this.#parts;
    const at = new Date(clock.now()).toISOString();
    const result = await ledger.retract(entryText({ kind: 'retraction', index, reason, at }), index);
    if (result.kind === 'done') changed();
    return result;
  }
}
