import type { Ledger } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { SignalSource } from '../source.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GIB = 1_073_741_824;

/** Retention of sources that were deleted: the defaults of a source. */
const DELETED = { rawMs: 7 * DAY_MS, signalsMs: 90 * DAY_MS };

export interface RetentionDeps {
  readonly ledger: Pick<Ledger, 'eraseIngestion'>;
  /** Every source that receives. */
  readonly sources: () => Iterable<SignalSource>;
  readonly now: () => number;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/** Erases what ingestion no longer keeps, once an hour (ingestion.md §6). */
export class IngestRetention {
  readonly #deps: RetentionDeps;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Does nothing before the next hour. Never rejects. */
  async run(): Promise<void> {
    const { ledger, now, logger } = this.#deps;
    const at = now();
    if (at < this.#dueAt) return;
    this.#dueAt = at + HOUR_MS;
    const erasure = ({ rawMs, signalsMs }: SignalSource['retention']) => ({
      rawBefore: at - rawMs,
      signalsBefore: at - signalsMs,
    });
    const sources = [...this.#deps.sources()].map(
      ({ namespace, name, retention }) => [`${namespace}/${name}`, erasure(retention)] as const,
    );
    try {
      const erased = await ledger.eraseIngestion({
        sources: new Map(sources),
        others: erasure(DELETED),
        deadBefore: at - 30 * DAY_MS,
        bytesPerSource: GIB,
        bytesInAll: 5 * GIB,
        limit: 200,
      });
      if (erased > 0) logger.info('old deliveries and signals were erased', { rows: erased });
    } catch (error) {
      logger.warn('old deliveries and signals could not be erased; the next try is in an hour', { error });
    }
  }
}
