import type { Registry } from 'prom-client';
import { LedgerError, type Ledger } from '../../adapters/ledger/port.ts';
import type { CheckedLedger } from '../../adapters/ledger/sqlite-check/check-in-thread.ts';
import { CHECKED_PARTS, type FoundFaults } from '../../adapters/ledger/sqlite-check/findings.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { observeLedgerChecks } from './check-metrics.ts';
import { parseLastCheck, type LastCheck } from './last-check.ts';

export interface LedgerCheckParts {
  readonly ledger: Pick<Ledger, 'state' | 'putState'>;
  /** Reads the whole ledger. */
  readonly check: (signal: AbortSignal) => Promise<CheckedLedger>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly registry: Registry;
  /** Called when the log or its file is damaged. @param why as `LogHead.damaged` */
  readonly damaged: (why: string) => void;
}

const KIND = 'ledger-check';
const KEY = 'last';
const DAY_MS = 86_400_000;
/** Time after the start without a check: others need the core then. */
const FIRST_MS = 10_000;
/** Pause after a check that could not be made. */
const RETRY_MS = 3_600_000;

/**
 * Why the log may not be signed with these faults. A receipt that differs from its digest is no reason: the entry that holds
 * the digest is whole, and what is signed rests on entries.
 */
function damageOf({ log, file }: FoundFaults): string | undefined {
  return log?.first ?? file?.first;
}

/** Reads the whole ledger once a day in the background, and reports what is damaged (reliability.md R15). */
export class LedgerChecks {
  readonly #parts: LedgerCheckParts;
  readonly #stopping = new AbortController();
  #last: LastCheck;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: LedgerCheckParts) {
    this.#parts = parts;
    this.#last = { since: parts.clock.now(), finishedAt: null, faults: {} };
    observeLedgerChecks(parts.registry, { sinceMs: () => this.#sinceMs(), faults: () => this.#last.faults });
  }

  /** Reads what the last check found. Call it before the log may grow: damage of before is still there. */
  async open(): Promise<void> {
    const { ledger, clock } = this.#parts;
    try {
      const last = parseLastCheck(await ledger.state(KIND, KEY));
      if (last === undefined) await this.#store({ since: clock.now(), finishedAt: null, faults: {} });
      else this.#last = last;
    } catch (error) {
      this.#parts.logger.warn('the last check of the ledger is not known', { error });
    }
    this.#report();
  }

  /** Checks until `close`. */
  begin(): void {
    this.#running = this.#run(this.#stopping.signal);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Time since the last whole check, or since the ledger has had checks. */
  #sinceMs(): number {
    return Math.max(0, this.#parts.clock.now() - (this.#last.finishedAt ?? this.#last.since));
  }

  /**
   * A check that found damage is made again at once: the disk may have been repaired. So is one with a time that is still
   * to come: the clock went back.
   */
  #dueInMs(): number {
    const { finishedAt, faults } = this.#last;
    const isKnown = finishedAt !== null && finishedAt <= this.#parts.clock.now();
    if (!isKnown || damageOf(faults) !== undefined) return FIRST_MS;
    return Math.max(FIRST_MS, DAY_MS - this.#sinceMs());
  }

  /** Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    let waitMs = this.#dueInMs();
    try {
      for (;;) {
        await clock.sleep(waitMs, signal, { ref: false });
        waitMs = (await this.#tryToCheck(signal)) ? DAY_MS : RETRY_MS;
      }
    } catch {
      // stopped
    }
  }

  /** @returns false: the ledger could not be read, or the result not be stored */
  async #tryToCheck(signal: AbortSignal): Promise<boolean> {
    const { check, clock, logger } = this.#parts;
    try {
      const { size, faults, cpuMs } = await check(signal);
      if (damageOf(this.#last.faults) !== undefined && damageOf(faults) === undefined)
        logger.warn('the ledger is whole again: start the process again, then it signs');
      this.#last = { since: this.#last.since, finishedAt: clock.now(), faults };
      logger.info('the whole ledger was read', { entries: size, cpu_ms: Math.round(cpuMs) });
      this.#report();
      await this.#store(this.#last);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const level = error instanceof LedgerError ? 'warn' : 'error';
      logger[level]('the check of the ledger could not be finished', { error });
      return false;
    }
  }

  #report(): void {
    const { faults } = this.#last;
    for (const part of CHECKED_PARTS) {
      const found = faults[part];
      if (found !== undefined)
        this.#parts.logger.error('the ledger is damaged', { part, faults: found.count, first: found.first });
    }
    const damage = damageOf(faults);
    if (damage !== undefined) this.#parts.damaged(`the ledger is damaged: ${damage}`);
  }

  async #store(last: LastCheck): Promise<void> {
    this.#last = last;
    await this.#parts.ledger.putState(KIND, KEY, JSON.stringify(last));
  }
}
