import type { LedgerLease } from '../../adapters/ledger/ledger-lease.ts';
import { LedgerError } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { DueLine, DueVersions } from './due-versions.ts';
import type { Evaluated, Evaluator, ScoredToWrite } from './evaluator.ts';
import type { Listings } from './listings.ts';
import type { NewestEvidence } from './newest-evidence.ts';
import { isWorkEnd } from './work-ended.ts';

export interface EvaluationsOptions {
  readonly evaluator: Pick<Evaluator, 'score' | 'write'>;
  readonly listings: Pick<Listings, 'refresh' | 'watch'>;
  readonly newest: Pick<NewestEvidence, 'refresh'>;
  readonly due: DueVersions;
  readonly lease: LedgerLease;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error' | 'info'>;
  /** Other work of the holder of the lease, beside the evaluations, until the signal is aborted. */
  readonly beside: (scope: AbortSignal) => Promise<void>;
  /** Called with each result. */
  readonly count: (result: Evaluated | 'failed') => void;
}

/** Time after which a version is found that became due by time alone. */
const TICK_MS = 1000;
/** Versions that wait for a checkpoint at the same time: one that is signed covers all of them. */
const AT_ONCE = 64;
/** After this time the due versions are looked up again, so that urgent ones go first. */
const SLICE_MS = 250;
/** Time between looks at what other replicas wrote (trust.md §2.3: at most 2 s). */
const FOLLOW_MS = 1000;

/**
 * Evaluates published versions when they are due (trust.md §5.4). One of the replicas does it: the holder of the lease
 * `reputation`. Evidence is read a line at a time; what was scored waits for its checkpoint beside the next lines.
 */
export class Evaluations {
  readonly #options: EvaluationsOptions;
  /** Versions that are being evaluated. */
  readonly #busy = new Set<string>();
  /** Writes that wait for a checkpoint or for their commit. */
  readonly #writing = new Set<Promise<void>>();
  #rest = new AbortController();

  constructor(options: EvaluationsOptions) {
    this.#options = options;
    options.listings.watch(this.#wake);
  }

  /**
   * Notices at once what an act of this process wrote about a version: its entries make it due. Without the call it is
   * noticed within a second.
   */
  readonly request = (): void => void this.#notice().catch(() => undefined);

  /** Follows the ledger in every replica, and evaluates in one of them, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { lease, beside } = this.#options;
    const work = async (scope: AbortSignal): Promise<void> => {
      await Promise.all([this.#lead(scope), beside(scope)]);
    };
    await Promise.all([this.#follow(signal), lease.run(signal, work)]);
  }

  /** Published versions whose evaluation is due. */
  readonly waiting = (): number => this.#options.due.count();

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    let isAway = false;
    while (!signal.aborted) {
      try {
        await this.#refresh();
        isAway = false;
      } catch (error) {
        if (!isAway && !isWorkEnd(error)) logger.warn('published Orbs could not be read from the ledger', { error });
        isAway = true;
      }
      await clock.sleep(FOLLOW_MS, signal, { ref: false }).catch(() => undefined);
    }
  }

  async #refresh(): Promise<void> {
    await this.#options.listings.refresh();
    await this.#notice();
  }

  async #notice(): Promise<void> {
    if (await this.#options.newest.refresh()) this.#wake();
  }

  readonly #wake = (): void => {
    const rest = this.#rest;
    this.#rest = new AbortController();
    rest.abort();
  };

  async #pause(scope: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([scope, this.#rest.signal]);
    await this.#options.clock.sleep(TICK_MS, signal, { ref: false }).catch(() => undefined);
  }

  async #lead(scope: AbortSignal): Promise<void> {
    const epoch = this.#options.lease.epoch();
    await this.#catchUp(scope);
    while (!scope.aborted) {
      const lines = this.#options.due.lines((orbId) => this.#busy.has(orbId), AT_ONCE);
      if (lines.length === 0) await this.#pause(scope);
      else await this.#evaluate(lines, epoch, scope);
    }
    await Promise.all(this.#writing);
  }

  /** The held tiers that the holder before wrote must be known before the first evaluation goes on from them. */
  async #catchUp(scope: AbortSignal): Promise<void> {
    while (!scope.aborted) {
      try {
        return await this.#refresh();
      } catch {
        await this.#pause(scope); // `follow` logs it
      }
    }
  }

  /** Evaluates lines until the time of a slice is over. */
  async #evaluate(lines: readonly DueLine[], epoch: number, scope: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const end = clock.monotonic() + SLICE_MS;
    for (const line of lines) {
      await this.#score(line, epoch, scope);
      while (this.#writing.size >= AT_ONCE && !scope.aborted) await Promise.race(this.#writing);
      if (scope.aborted || clock.monotonic() >= end) return;
    }
  }

  async #score(line: DueLine, epoch: number, scope: AbortSignal): Promise<void> {
    const { evaluator, lease } = this.#options;
    for (const orbId of line) this.#busy.add(orbId);
    try {
      lease.assertLeading();
      const scored = await evaluator.score(line);
      const found = new Map(scored.map((one) => [one.orbId, one]));
      for (const orbId of line) this.#begin(orbId, this.#write(orbId, found.get(orbId), { epoch, scope }));
    } catch (error) {
      for (const orbId of line) {
        this.#failed(orbId, error, scope);
        this.#busy.delete(orbId);
      }
    }
  }

  #begin(orbId: string, write: Promise<void>): void {
    const written = write.finally(() => {
      this.#writing.delete(written);
      this.#busy.delete(orbId);
    });
    this.#writing.add(written);
  }

  async #write(
    orbId: string,
    scored: ScoredToWrite | undefined,
    { epoch, scope }: { readonly epoch: number; readonly scope: AbortSignal },
  ): Promise<void> {
    const { evaluator, lease, due, count } = this.#options;
    try {
      const check = (): void => lease.assertLeading();
      const result = scored === undefined ? 'unknown' : await evaluator.write(scored, { epoch, signal: scope, check });
      count(result);
      if (result === 'done') due.evaluated(orbId);
      else due.failed(orbId);
    } catch (error) {
      this.#failed(orbId, error, scope);
    }
  }

  /** The end of the process or of the lease is no failure: the next holder evaluates the version. */
  #failed(orbId: string, error: unknown, scope: AbortSignal): void {
    const { due, logger, count } = this.#options;
    due.failed(orbId);
    if (scope.aborted || isWorkEnd(error)) return;
    count('failed');
    const level = error instanceof LedgerError ? 'warn' : 'error';
    logger[level]('an Orb could not be evaluated', { orb_id: orbId, error });
  }
}
