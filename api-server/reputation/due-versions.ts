import type { Clock } from '../../adapters/time/clock.ts';
import { lineOf } from '../../core/reputation/line.ts';
import type { Listings } from './listings.ts';
import type { NewestEvidence } from './newest-evidence.ts';

/**
 * Why a version is to be evaluated: it never was, another entry than a run concerns it, its line has new runs and the
 * interval is over, or a UTC day began. The first two are urgent.
 */
type Reason = 'new' | 'changed' | 'ran' | 'old';

export interface DueVersionsParts {
  readonly listings: Pick<Listings, 'all' | 'evaluatedAt' | 'evaluatedSize'>;
  readonly newest: Pick<NewestEvidence, 'of'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Time between evaluations of an Orb whose line has new runs, ms. */
  readonly intervalMs: number;
}

/** Versions of one line that are due together, at least one: they share one read of their evidence. */
export type DueLine = readonly [orbId: string, ...others: readonly string[]];

interface Due {
  readonly orbId: string;
  readonly reason: Reason;
  /** ms since epoch */
  readonly evaluatedAt: number;
}

interface Failed {
  readonly times: number;
  /** Not before this time, monotonic ms. */
  readonly again: number;
}

const DAY_MS = 86_400_000;
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** Versions of a line that are scored together: each has a profile of some 10 kB. */
const MOST_TOGETHER = 64;

const RANK: Readonly<Record<Reason, number>> = { new: 0, changed: 0, ran: 1, old: 2 };

const byUrgency = (one: Due, other: Due): number =>
  RANK[one.reason] - RANK[other.reason] || one.evaluatedAt - other.evaluatedAt;

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/**
 * Finds the versions whose evaluation is due, by what the ledger holds: after a crash, or in another replica, the same
 * versions are due. Only the back-off after failures is in memory.
 */
export class DueVersions {
  readonly #parts: DueVersionsParts;
  readonly #failed = new Map<string, Failed>();

  constructor(parts: DueVersionsParts) {
    this.#parts = parts;
  }

  /** How many versions are due, also those that wait after a failure. */
  count(): number {
    return this.#due().length;
  }

  /**
   * Lines with due versions, the urgent ones first and then those whose evaluation is oldest.
   * @param isBusy versions to leave out
   * @param most versions, 1 or more; the last line may bring some more
   */
  lines(isBusy: (orbId: string) => boolean, most: number): readonly DueLine[] {
    const lines = new Map<string, [string, ...string[]]>();
    let chosen = 0;
    for (const { orbId } of this.#due().toSorted(byUrgency)) {
      if (isBusy(orbId) || !this.#mayTry(orbId)) continue;
      const name = lineOf(orbId);
      const line = lines.get(name);
      if (line === undefined && chosen >= most) continue;
      if (line === undefined) lines.set(name, [orbId]);
      else if (line.length < MOST_TOGETHER) line.push(orbId);
      chosen += 1;
    }
    return [...lines.values()];
  }

  /** The version waits before it is due again: 1 s, and twice as long after each further failure, 30 s at most. */
  failed(orbId: string): void {
    const times = (this.#failed.get(orbId)?.times ?? 0) + 1;
    const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (times - 1));
    this.#failed.set(orbId, { times, again: this.#parts.clock.monotonic() + wait });
  }

  evaluated(orbId: string): void {
    this.#failed.delete(orbId);
  }

  #mayTry(orbId: string): boolean {
    return this.#parts.clock.monotonic() >= (this.#failed.get(orbId)?.again ?? Number.NEGATIVE_INFINITY);
  }

  #due(): readonly Due[] {
    const { listings, clock } = this.#parts;
    const now = clock.now();
    const due: Due[] = [];
    for (const { orbId } of listings.all()) {
      const evaluatedAt = listings.evaluatedAt(orbId) ?? 0;
      const reason = this.#reason(orbId, evaluatedAt, now);
      if (reason !== undefined) due.push({ orbId, reason, evaluatedAt });
    }
    return due;
  }

  /** An evaluation has read the entries below its size. */
  #reason(orbId: string, evaluatedAt: number, now: number): Reason | undefined {
    const { listings, newest, intervalMs } = this.#parts;
    const size = listings.evaluatedSize(orbId);
    if (size === undefined) return 'new';
    const { run, event } = newest.of(orbId);
    if (event >= size) return 'changed';
    if (run >= size && now - evaluatedAt >= intervalMs) return 'ran';
    return dayOf(evaluatedAt) < dayOf(now) ? 'old' : undefined;
  }
}
