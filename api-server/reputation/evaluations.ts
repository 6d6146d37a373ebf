import type { LedgerLease } from '../../adapters/ledger/ledger-lease.ts';
import { LedgerError } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Evaluated, Evaluator } from './evaluator.ts';
import type { Listings } from './listings.ts';

export interface EvaluationsOptions {
  readonly evaluator: Pick<Evaluator, 'evaluate'>;
  readonly listings: Listings;
  readonly lease: LedgerLease;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error' | 'info'>;
  /** Time between evaluations of an Orb whose line has new runs, ms. */
  readonly intervalMs: number;
  /** Other work of the holder of the lease, beside the evaluations, until the signal is aborted. */
  readonly beside: (scope: AbortSignal) => Promise<void>;
  /** Called with each result. */
  readonly count: (result: Evaluated | 'failed') => void;
}

const TICK_MS = 200;
/** Versions that wait for one checkpoint together: it is signed once a second, and covers all of them. */
const AT_ONCE = 64;
/** Time between looks at what other replicas wrote (trust.md §2.3: at most 2 s). */
const FOLLOW_MS = 1000;
/** A run whose receipt was just signed may not be in the log yet. */
const SETTLED_MS = 2000;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * Evaluates published versions when they are due (trust.md §5.4): after an act that concerns them, each UTC day, and
 * some time after new runs. One of the replicas does it: the holder of the lease `reputation`.
 */
export class Evaluations {
  readonly #options: EvaluationsOptions;
  readonly #requested = new Set<string>();
  /** Versions with new runs: times of the first and the last of them, monotonic ms. */
  readonly #ran = new Map<string, { first: number; last: number }>();
  readonly #triedAt = new Map<string, number>();

  constructor(options: EvaluationsOptions) {
    this.#options = options;
  }

  /** Evaluates a version soon. */
  readonly request = (orbId: string): void => void this.#requested.add(orbId);

  /** Notes a run that counts. The evaluation may wait for the interval. */
  readonly ran = (orbId: string): void => {
    const now = this.#options.clock.monotonic();
    const noted = this.#ran.get(orbId);
    if (noted === undefined) this.#ran.set(orbId, { first: now, last: now });
    else noted.last = now;
  };

  /** Follows the ledger in every replica, and evaluates in one of them, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { lease, beside } = this.#options;
    const work = async (scope: AbortSignal): Promise<void> => {
      await Promise.all([this.#lead(scope), beside(scope)]);
    };
    await Promise.all([this.#follow(signal), lease.run(signal, work)]);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { listings, clock, logger } = this.#options;
    let isAway = false;
    while (!signal.aborted) {
      try {
        await listings.refresh();
        isAway = false;
      } catch (error) {
        if (!isAway) logger.warn('published Orbs could not be read from the ledger', { error });
        isAway = true;
      }
      await clock.sleep(FOLLOW_MS, signal, { ref: false }).catch(() => undefined);
    }
  }

  async #lead(scope: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!scope.aborted) {
      const due = this.#due();
      for (let from = 0; from < due.length && !scope.aborted; from += AT_ONCE)
        await Promise.all(due.slice(from, from + AT_ONCE).map((orbId) => this.#evaluate(orbId, scope)));
      await clock.sleep(TICK_MS, scope, { ref: false }).catch(() => undefined);
    }
  }

  /** Published versions whose evaluation is due, as far as this process knows. */
  readonly waiting = (): readonly string[] =>
    [...this.#options.listings.all()].flatMap(({ orbId }) => (this.#reason(orbId) === undefined ? [] : [orbId]));

  #due(): readonly string[] {
    return this.waiting().filter((orbId) => this.#reason(orbId) === 'requested' || this.#mayTry(orbId));
  }

  /** Why a version is to be evaluated; undefined: it is not. */
  #reason(orbId: string): 'requested' | 'old' | 'ran' | undefined {
    const { listings, clock } = this.#options;
    if (this.#requested.has(orbId)) return 'requested';
    const evaluatedAt = listings.evaluatedAt(orbId);
    if (evaluatedAt === undefined || dayOf(evaluatedAt) < dayOf(clock.now())) return 'old';
    return this.#hasRun(orbId, evaluatedAt) ? 'ran' : undefined;
  }

  #hasRun(orbId: string, evaluatedAt: number): boolean {
    const { clock, intervalMs } = this.#options;
    const noted = this.#ran.get(orbId);
    if (noted === undefined || clock.monotonic() - noted.first < SETTLED_MS) return false;
    return clock.now() - evaluatedAt >= intervalMs;
  }

  /** After a failure it waits as long as after new runs. */
  #mayTry(orbId: string): boolean {
    const { clock, intervalMs } = this.#options;
    return clock.monotonic() - (this.#triedAt.get(orbId) ?? Number.NEGATIVE_INFINITY) >= Math.min(intervalMs, 30_000);
  }

  async #evaluate(orbId: string, scope: AbortSignal): Promise<void> {
    const { evaluator, lease, clock, logger, count } = this.#options;
    this.#requested.delete(orbId);
    const begun = clock.monotonic();
    this.#triedAt.set(orbId, begun);
    try {
      lease.assertLeading();
      const result = await evaluator.evaluate(orbId, lease.epoch(), scope);
      count(result);
      if (result !== 'done') this.#requested.add(orbId);
      else this.#forget(orbId, begun);
    } catch (error) {
      count('failed');
      this.#requested.add(orbId);
      const level = error instanceof LedgerError ? 'warn' : 'error';
      logger[level]('an Orb could not be evaluated', { orb_id: orbId, error });
      await clock.sleep(1000, scope, { ref: false }).catch(() => undefined);
    }
  }

  /** Forgets the runs that the evaluation has surely seen. */
  #forget(orbId: string, begun: number): void {
    const noted = this.#ran.get(orbId);
    if (noted === undefined) return;
    if (noted.last > begun - SETTLED_MS) noted.first = noted.last;
    else this.#ran.delete(orbId);
  }
}
