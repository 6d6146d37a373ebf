import { within } from '../../adapters/kube/within.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { EvaluationSummary } from '../../core/failover/evaluation-summary.ts';
import type { EvaluationSource, EvaluationRequest } from './port.ts';

/** One query; undefined or a rejection: no data. */
export type FetchEvaluation = (orb: EvaluationRequest, signal: AbortSignal) => Promise<EvaluationSummary | undefined>;

// failover.md §9.3
const KEPT_MS = 15_000;
export const DEADLINE_MS = 2000;
/** A failed query is not repeated for every request, but soon. */
const FAILED_KEPT_MS = 2000;
const MOST_ORBS = 1000;

interface SharedQuery {
  readonly found: Promise<EvaluationSummary | undefined>;
  /** End of validity, monotonic ms. */
  until: number;
}

/** Shares one query of an Orb among all callers within 15 s. A query over 2 s counts as no data. */
export function cachedEvaluations(
  query: FetchEvaluation,
  { clock, logger }: { readonly clock: Clock; readonly logger: Pick<Logger, 'debug'> },
): EvaluationSource {
  const queries = new Map<string, SharedQuery>();
  const never = new AbortController().signal;
  const ask = async (orb: EvaluationRequest): Promise<EvaluationSummary | undefined> => {
    try {
      return await within({ clock, ms: DEADLINE_MS, what: 'the query for the last evaluation' }, never, (signal) =>
        query(orb, signal),
      );
    } catch (error) {
      logger.debug('no evaluation', { orb_id: orb.orbId, error });
      return undefined;
    }
  };
  const start = (orb: EvaluationRequest, key: string): SharedQuery => {
    const started: SharedQuery = { found: ask(orb), until: Number.POSITIVE_INFINITY };
    void started.found.then((evaluation) => {
      started.until = clock.monotonic() + (evaluation === undefined ? FAILED_KEPT_MS : KEPT_MS);
      return evaluation;
    });
    queries.delete(key);
    queries.set(key, started);
    const [oldest] = queries.keys();
    if (queries.size > MOST_ORBS && oldest !== undefined) queries.delete(oldest);
    return started;
  };
  return (orb) => {
    // Another active provider needs another query: each verdict is about one active provider.
    const key = JSON.stringify([orb.namespace, orb.orbId, orb.quantile, orb.active]);
    const known = queries.get(key);
    return (known !== undefined && clock.monotonic() < known.until ? known : start(orb, key)).found;
  };
}
