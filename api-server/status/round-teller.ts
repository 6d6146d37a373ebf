import type { Logger } from '../../adapters/telemetry/port.ts';
import type { FullRound } from './round-loop.ts';

/** A round that waits to be told. Rounds of an earlier process come without their checks. */
export type WaitingRound = Omit<FullRound, 'found'> & Partial<Pick<FullRound, 'found'>>;

export type Told =
  | { readonly kind: 'taken' }
  /** @param last end of what is kept, ms since epoch; null: nothing is kept */
  | { readonly kind: 'refused'; readonly why: string; readonly last: number | null }
  /** Nothing is known to be kept: to be told again. */
  | { readonly kind: 'away'; readonly why: string };

export interface RoundTellerParts {
  /** Tells some rounds in order of time. It never rejects. */
  readonly tell: (rounds: readonly WaitingRound[]) => Promise<Told>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Most rounds that one call tells. */
  readonly atOnce: number;
  /** Most rounds that wait; the oldest are dropped. */
  readonly mostWaiting: number;
  /** Receives what waits still, after each round. It never rejects. */
  readonly changed?: (waiting: readonly WaitingRound[]) => Promise<void>;
}

/** Rounds may wait for days: what they found in detail is told of the newest alone. */
const withoutChecks = (round: WaitingRound): WaitingRound => {
  const { found: _found, ...rest } = round;
  return round.found === undefined ? round : rest;
};

/**
 * Tells rounds in order, and keeps those that could not be told. A refusal means that others told of this time: what lies
 * before the end of what is kept is dropped, and the rest is told.
 */
export class RoundTeller {
  readonly #parts: RoundTellerParts;
  #waiting: readonly WaitingRound[];
  #isAway = false;
  #telling: Promise<void> | undefined;

  /** @param waiting rounds of an earlier process */
  constructor(parts: RoundTellerParts, waiting: readonly WaitingRound[] = []) {
    this.#parts = parts;
    this.#waiting = waiting;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds rounds, and tells all that wait as far as they are taken. The next round does not wait for that: an API that hangs
   * must not slow down the checks. Never rejects.
   * @returns when all is told that waits by now, or can't be told
   */
  add(rounds: readonly WaitingRound[]): Promise<void> {
    const last = this.#waiting.at(-1);
    // The round that waits last may have got a later end.
    const kept = last?.at === rounds[0]?.at ? this.#waiting.slice(0, -1) : this.#waiting;
    this.#waiting = [...kept.map(withoutChecks), ...rounds].slice(-this.#parts.mostWaiting);
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined;
    });
    return this.#telling;
  }

  async #tellAll(): Promise<void> {
    await this.#flush();
    await this.#parts.changed?.(this.#waiting);
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const some = this.#waiting.slice(0, this.#parts.atOnce);
      const told = await this.#parts.tell(some);
      if (told.kind === 'away') return this.#away(told.why);
      if (this.#isAway) this.#parts.logger.info('rounds of checks are taken again', { waiting: this.#waiting.length });
      this.#isAway = false;
      // A round that got a later end meanwhile is another one, and is told again.
      const done = new Set(some);
      if (told.kind === 'taken') this.#waiting = this.#waiting.filter((round) => !done.has(round));
      else this.#dropTold(told);
    }
  }

  #away(why: string): void {
    if (!this.#isAway) this.#parts.logger.warn('rounds of checks wait, because they can not be told', { why });
    this.#isAway = true;
  }

  #dropTold({ why, last }: Extract<Told, { readonly kind: 'refused' }>): void {
    const end = last ?? -Infinity;
    const behind = this.#waiting.filter(({ until }) => until > end);
    const clipped = behind.map((round) => (round.at < end ? { ...round, at: end } : round));
    const isNothingNew = clipped.length === this.#waiting.length && clipped[0]?.at === this.#waiting[0]?.at;
    // Refused for another reason: the first one would be refused for ever.
    const left = isNothingNew ? clipped.slice(1) : clipped;
    const dropped = this.#waiting.length - left.length;
    this.#parts.logger.warn('rounds of checks do not fit to those that are kept', { why, dropped });
    this.#waiting = left;
  }
}
