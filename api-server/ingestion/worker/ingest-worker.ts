import type { LedgerLease } from '../../../adapters/ledger/ledger-lease.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { isWorkEnd } from '../../reputation/work-ended.ts';
import type { IngestQueue } from '../queue.ts';
import type { BatchResult, Epoch } from './map-batch.ts';

/** One kind of work. @throws LedgerError */
type IngestTask = (lease: Epoch) => Promise<BatchResult>;

export interface IngestWorkerDeps {
  readonly lease: LedgerLease;
  readonly leaseName: string;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Whether every source was read: before that a delivery could be taken for one of a deleted source. */
  readonly isReady: () => boolean;
  readonly mapBatch: IngestTask;
  readonly settleDue: IngestTask;
  /** Work at longer intervals, which decides itself whether it is due. */
  readonly sometimes: (lease: Epoch, scope: AbortSignal) => Promise<void>;
  /** Ends work that is under way; it then rejects. */
  readonly close: () => Promise<void>;
}

/** Wait without news: incidents become due by time alone, and rows may come from another replica. */
const TICK_MS = 1000;

/**
 * Maps what was accepted, in one replica: the holder of the lease. It begins with what waits when it starts, and goes on
 * after each delivery that this process accepts.
 */
export class IngestWorker implements IngestQueue {
  readonly #deps: IngestWorkerDeps;
  #rest = new AbortController();
  #succeededAt: number | undefined;
  #isAway = false;

  constructor(deps: IngestWorkerDeps) {
    this.#deps = deps;
  }

  readonly wake = (): void => {
    const rest = this.#rest;
    this.#rest = new AbortController();
    rest.abort();
  };

  /** Seconds since the last work without a fault; undefined: this process does not hold the lease. */
  readonly successAge = (): number | undefined =>
    this.#succeededAt === undefined ? undefined : (this.#deps.clock.monotonic() - this.#succeededAt) / 1000;

  /** Campaigns for the lease and works while it is held, until the signal is aborted. Never rejects. */
  readonly run = async (signal: AbortSignal): Promise<void> => {
    const { lease, close } = this.#deps;
    const end = (): void => void close();
    signal.addEventListener('abort', end, { once: true });
    await lease.run(signal, (scope) => this.#lead(scope));
    signal.removeEventListener('abort', end);
    await close();
  };

  async #lead(scope: AbortSignal): Promise<void> {
    const { leaseName, lease, clock } = this.#deps;
    const held = { name: leaseName, epoch: lease.epoch() };
    this.#succeededAt = clock.monotonic();
    while (!scope.aborted) {
      const rest = this.#rest.signal;
      const result = await this.#round(held, scope);
      if (result === 'lost-lease') break;
      if (result !== 'worked' && result !== 'stale') await this.#pause(AbortSignal.any([scope, rest]));
    }
    this.#succeededAt = undefined;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(TICK_MS, signal, { ref: false }).catch(() => undefined);
  }

  async #round(held: Epoch, scope: AbortSignal): Promise<BatchResult | 'away'> {
    const { isReady, mapBatch, settleDue, sometimes, lease, clock } = this.#deps;
    if (!isReady()) return 'empty';
    try {
      lease.assertLeading();
      const mapped = await mapBatch(held);
      const settled = await settleDue(held);
      await sometimes(held, scope);
      this.#isAway = false;
      this.#succeededAt = clock.monotonic();
      return [mapped, settled].find((result) => result !== 'empty') ?? 'empty';
    } catch (error) {
      return this.#failed(error, scope);
    }
  }

  /** The next round tries again: nothing that was accepted is lost. */
  #failed(error: unknown, scope: AbortSignal): 'away' {
    if (!this.#isAway && !scope.aborted && !isWorkEnd(error))
      this.#deps.logger.warn('deliveries could not be mapped; they wait', { error });
    this.#isAway = true;
    return 'away';
  }
}
