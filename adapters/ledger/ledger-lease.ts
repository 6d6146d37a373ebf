import { NotLeading } from '../../core/errors/not-leading.ts';
import type { Ledger } from './port.ts';
import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';

export interface LedgerLeaseOptions {
  readonly ledger: Pick<Ledger, 'acquireLease' | 'releaseLease'>;
  readonly name: string;
  readonly holder: string;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** A task that only one of several replicas does: the one that holds the lease in the ledger. */
export interface LedgerLease {
  /**
   * Campaigns until the signal is aborted. `lead` runs while the lease is held; its signal ends with the lease. Never
   * rejects.
   */
  readonly run: (signal: AbortSignal, lead: (scope: AbortSignal) => Promise<void>) => Promise<void>;
  /** @throws NotLeading the lease may have gone to another replica by now */
  readonly assertLeading: () => void;
  /** Grows with each change of holder: what this holder writes is refused after a later one wrote. */
  readonly epoch: () => number;
}

const TTL_MS = 15_000;
const RENEW_MS = 5000;
/** Wait between two tries while another replica holds it. */
const RETRY_MS = 2000;
/** A holder stops this much earlier than another replica may begin. */
const MARGIN_MS = 5000;

/** Work of the holder, in one epoch of the lease. */
interface Scope {
  readonly epoch: number;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

class Campaign implements LedgerLease {
  readonly #options: LedgerLeaseOptions;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #scope: Scope | undefined;
  #isAway = false;
  #epoch = 0;

  constructor(options: LedgerLeaseOptions) {
    this.#options = options;
  }

  readonly assertLeading = (): void => {
    if (this.#options.clock.monotonic() >= this.#heldUntil) throw new NotLeading();
  };

  readonly epoch = (): number => this.#epoch;

  readonly run: LedgerLease['run'] = async (signal, lead) => {
    const { ledger, name, holder, clock } = this.#options;
    while (!signal.aborted) {
      if (await this.#acquired()) await this.#continue(lead);
      else if (clock.monotonic() >= this.#heldUntil) await this.#end();
      await clock.sleep(this.#scope === undefined ? RETRY_MS : RENEW_MS, signal, { ref: false }).catch(() => undefined);
    }
    await this.#end();
    await ledger.releaseLease(name, holder).catch(() => undefined);
  };

  async #acquired(): Promise<boolean> {
    const { ledger, name, holder, clock, logger } = this.#options;
    const askedAt = clock.monotonic();
    try {
      const epoch = await ledger.acquireLease(name, holder, TTL_MS);
      this.#isAway = false;
      this.#epoch = epoch ?? this.#epoch;
      this.#heldUntil = epoch === undefined ? Number.NEGATIVE_INFINITY : askedAt + TTL_MS - MARGIN_MS;
      return epoch !== undefined;
    } catch (error) {
      if (!this.#isAway) logger.warn('a lease of the ledger could not be renewed', { lease: name, error });
      this.#isAway = true;
      return false;
    }
  }

  /** The work of an earlier epoch ends: another replica held the lease meanwhile, and what it writes is refused. */
  async #continue(lead: (scope: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#scope?.epoch === this.#epoch) return;
    await this.#end();
    const { name, logger } = this.#options;
    const controller = new AbortController();
    logger.info('this process holds a lease of the ledger', { lease: name });
    this.#scope = { epoch: this.#epoch, controller, ended: lead(controller.signal) };
  }

  async #end(): Promise<void> {
    const scope = this.#scope;
    this.#scope = undefined;
    scope?.controller.abort();
    await scope?.ended;
  }
}

export const createLedgerLease = (options: LedgerLeaseOptions): LedgerLease => new Campaign(options);
