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
 * A version that differs is checked again each day, beside that of the day, until its score follows from the log. A
 * process that takes the lease over, or starts again, checks the version of this day too.
 */
export class DailyCheck {
  readonly #parts: DailyCheckParts;
  /** Versions whose newest check found a difference. */
  readonly #differing = new Set<string>();
  /** Days since the epoch: of the newest checks. */
  #day: number | undefined;
  /** Versions that are still to be checked on that day. */
  #left: ReadonlySet<string> = new Set();

  constructor(parts: DailyCheckParts) {
    this.#parts = parts;
  }

  /** False from a difference on, until a check of the same version is good; true before any check. */
  get isConsistent(): boolean {
    return this.#differing.size === 0;
  }

  /** Works until the signal is aborted; in the holder of the lease `reputation` alone. The next holder checks again. */
  async run(scope: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    this.#day = undefined;
    while (!scope.aborted) {
      await this.#checkDay(Math.floor(clock.now() / DAY_MS), scope);
      await clock.sleep(TICK_MS, scope, { ref: false }).catch(() => undefined);
    }
    this.#differing.clear();
  }

  /** Goes on with the next call after a check that could not be made. */
  async #checkDay(day: number, scope: AbortSignal): Promise<void> {
    if (day !== this.#day) {
      this.#left = this.#choices(day);
      this.#day = this.#left.size === 0 ? undefined : day;
    }
    const asOf = new Date(day * DAY_MS).toISOString().slice(0, 10);
    const left = new Set(this.#left);
    for (const orbId of this.#left) {
      if (!(await this.#isChecked(orbId, asOf, scope))) break;
      left.delete(orbId);
    }
    this.#left = left;
  }

  /** Each day another version, in the order of their ids, so all have their turn; and those that differ. */
  #choices(day: number): ReadonlySet<string> {
    const ids = [...this.#parts.listings.all()].map(({ orbId }) => orbId).toSorted();
    const ofDay = ids[day % Math.max(1, ids.length)];
    return new Set(ofDay === undefined ? [] : [ofDay, ...this.#differing]);
  }

  async #isChecked(orbId: string, asOf: string, scope: AbortSignal): Promise<boolean> {
    try {
      await this.#check(orbId, asOf, scope);
      return true;
    } catch (error) {
      if (scope.aborted || isWorkEnd(error)) return false;
      const level = error instanceof LedgerError ? 'warn' : 'error';
      this.#parts.logger[level]('a score could not be checked against the log', { orb_id: orbId, error });
      return false;
    }
  }

  async #check(orbId: string, asOf: string, scope: AbortSignal): Promise<void> {
    const { scorer, logger } = this.#parts;
    const { size, differing } = await scorer.check({ orbId, asOf }, scope);
    const about = { orb_id: orbId, tree_size: size, as_of: asOf };
    if (differing.length === 0) {
      this.#differing.delete(orbId);
      logger.info('a score follows from the entries of the log', about);
    } else {
      this.#differing.add(orbId);
      logger.error('a score does not follow from the entries of the log', { ...about, members: differing });
    }
  }
}
