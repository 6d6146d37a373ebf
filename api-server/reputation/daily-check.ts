import { LedgerError } from '../../adapters/ledger/port.ts';
import type { Scorer } from '../../adapters/reputation-worker/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Listings } from './listings.ts';
import { isWorkEnd } from './work-ended.ts';

export interface DailyCheckParts {
  readonly scorer: Pick<Scorer, 'check'>;
  readonly listings: Pick<Listings, 'all'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const DAY_MS = 86_400_000;
/** Time between looks at the day, and after a check that could not be made. */
const TICK_MS = 60_000;

/**
 * Once a UTC day, takes one published version and computes its score from the entries of the log alone (trust.md §5.2).
 * A process that takes the lease over, or starts again, checks the version of this day too.
 */
export class DailyCheck {
  readonly #parts: DailyCheckParts;
  /** Days since the epoch: of the newest check. */
  #checkedDay: number | undefined;
  #isConsistent = true;

  constructor(parts: DailyCheckParts) {
    this.#parts = parts;
  }

  /** False after a difference, until a later check is good; true before any check. */
  get isConsistent(): boolean {
    return this.#isConsistent;
  }

  /** Works until the signal is aborted; in the holder of the lease `reputation` alone. The next holder checks again. */
  async run(scope: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    this.#checkedDay = undefined;
    while (!scope.aborted) {
      await this.#checkOnce(Math.floor(clock.now() / DAY_MS), scope);
      await clock.sleep(TICK_MS, scope, { ref: false }).catch(() => undefined);
    }
    this.#isConsistent = true;
  }

  async #checkOnce(day: number, scope: AbortSignal): Promise<void> {
    const orbId = day === this.#checkedDay ? undefined : this.#choice(day);
    if (orbId === undefined) return;
    try {
      await this.#check(orbId, new Date(day * DAY_MS).toISOString().slice(0, 10), scope);
      this.#checkedDay = day;
    } catch (error) {
      if (scope.aborted || isWorkEnd(error)) return;
      const level = error instanceof LedgerError ? 'warn' : 'error';
      this.#parts.logger[level]('a score could not be checked against the log', { orb_id: orbId, error });
    }
  }

  /** Each day another version, in the order of their ids; all have their turn. */
  #choice(day: number): string | undefined {
    const ids = [...this.#parts.listings.all()].map(({ orbId }) => orbId).toSorted();
    return ids[day % Math.max(1, ids.length)];
  }

  async #check(orbId: string, asOf: string, scope: AbortSignal): Promise<void> {
    const { scorer, logger } = this.#parts;
    const { size, differing } = await scorer.check({ orbId, asOf }, scope);
    const about = { orb_id: orbId, tree_size: size, as_of: asOf };
    this.#isConsistent = differing.length === 0;
    if (this.#isConsistent) logger.info('a score follows from the entries of the log', about);
    else logger.error('a score does not follow from the entries of the log', { ...about, members: differing });
  }
}
