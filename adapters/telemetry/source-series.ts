import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../../core/receipt/record.ts';
import { SECONDS_BUCKETS } from '../../core/failover/seconds-buckets.ts';

export const DURATION = 'orb_provider_request_duration_seconds';
export const REQUESTS = 'orb_provider_requests_total';

/** Counts of one source since the start of the process; a returned object never changes. */
export interface SourceCounts {
  /** Count of each bucket alone; the last is beyond all bounds. */
  readonly buckets: readonly number[];
  readonly outcomes: Readonly<Record<AttemptOutcome, number>>;
}

/**
 * Attempts or probes of one provider: histogram and outcomes. Written by one thread; an attempt allocates no memory.
 */
export class SourceSeries {
  readonly #labels: string;
  readonly #source: 'traffic' | 'probe';
  readonly #buckets = new Float64Array(SECONDS_BUCKETS.length + 1);
  readonly #outcomes = new Float64Array(ATTEMPT_OUTCOMES.length);
  #seconds = 0;
  #read: SourceCounts | undefined;

  /** @param labels of the provider, as text */
  constructor(labels: string, source: 'traffic' | 'probe') {
    this.#labels = labels;
    this.#source = source;
  }

  /**
   * Counts one outcome. Its time counts only for success and timeout: a fast 503 must not look like a fast provider.
   */
  count(outcome: AttemptOutcome, seconds: number): void {
    this.#read = undefined;
    const index = ATTEMPT_OUTCOMES.indexOf(outcome);
    this.#outcomes[index] = (this.#outcomes[index] ?? 0) + 1;
    if (outcome !== 'success' && outcome !== 'timeout') return;
    const first = SECONDS_BUCKETS.findIndex((bound) => seconds <= bound);
    const bucket = first < 0 ? SECONDS_BUCKETS.length : first;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#seconds += seconds;
  }

  /** @returns the same object until the next count */
  counts(): SourceCounts {
    this.#read ??= { buckets: Array.from(this.#buckets), outcomes: outcomeCounts(this.#outcomes) };
    return this.#read;
  }

  durationLines(): string {
    const labels = `${this.#labels},source="${this.#source}"`;
    let lines = '';
    let count = 0;
    for (const [index, bound] of SECONDS_BUCKETS.entries()) {
      count += this.#buckets[index] ?? 0;
      lines += `${DURATION}_bucket{${labels},le="${bound}"} ${count}\n`;
    }
    count += this.#buckets[SECONDS_BUCKETS.length] ?? 0;
    return (
      `${lines}${DURATION}_bucket{${labels},le="+Inf"} ${count}\n` +
      `${DURATION}_sum{${labels}} ${this.#seconds}\n${DURATION}_count{${labels}} ${count}\n`
    );
  }

  outcomeLines(): string {
    const tail = `source="${this.#source}"`;
    return ATTEMPT_OUTCOMES.map(
      (outcome, index) => `${REQUESTS}{${this.#labels},outcome="${outcome}",${tail}} ${this.#outcomes[index] ?? 0}\n`,
    ).join('');
  }
}

function outcomeCounts(counts: Float64Array): SourceCounts['outcomes'] {
  const [success = 0, error = 0, timeout = 0, rateLimited = 0, clientError = 0, cancelled = 0, blocked = 0] = counts;
  return { success, error, timeout, rate_limited: rateLimited, client_error: clientError, cancelled, blocked };
}
