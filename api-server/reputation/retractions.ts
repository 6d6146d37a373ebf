import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { entryText, readEntry } from '../../core/log-entry/entry.ts';
import { lineOf } from '../../core/reputation/line.ts';
import { evaluateLine, type LineParts } from './evaluate-line.ts';

export interface RetractionParts extends LineParts {
  readonly ledger: Pick<Ledger, 'retract' | 'entries'>;
  readonly clock: Pick<Clock, 'now'>;
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
    const { ledger, clock } = this.#parts;
    const at = new Date(clock.now()).toISOString();
    const result = await ledger.retract(entryText({ kind: 'retraction', index, reason, at }), index);
    const line = result.kind === 'done' ? await this.#lineAt(index) : undefined;
    if (line !== undefined) evaluateLine(line, this.#parts);
    return result;
  }

  /** The line whose evidence the entry belonged to; undefined: it counted for no line. */
  async #lineAt(index: number): Promise<string | undefined> {
    const [text] = await this.#parts.ledger.entries(index, index + 1);
    const entry = text === undefined ? undefined : readEntry(text);
    const orbId = entry !== undefined && 'orb_id' in entry ? entry.orb_id : null;
    return orbId === null ? undefined : lineOf(orbId);
  }
}
