import { within } from '../../adapters/kube/within.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { FailoverFigures } from '../../core/failover/figures.ts';
import type { FiguresSource, FiguresWish } from './port.ts';

/** One query; undefined or a rejection: no data. */
export type FiguresQuery = (orb: FiguresWish, signal: AbortSignal) => Promise<FailoverFigures | undefined>;

// failover.md §9.3
const KEPT_MS = 15_000;
export const DEADLINE_MS = 2000;
/** A failed query is not repeated for every request, but soon. */
const FAILED_KEPT_MS = 2000;
const MOST_ORBS = 1000;

interface Look {
  readonly found: Promise<FailoverFigures | undefined>;
  /** End of validity, monotonic ms. */
  until: number;
}

/** Shares one query of an Orb among all callers within 15 s. A query over 2 s counts as no data. */
export function cachedFigures(
  query: FiguresQuery,
  { clock, logger }: { readonly clock: Clock; readonly logger: Pick<Logger, 'debug'> },
): FiguresSource {
  const looks = new Map<string, Look>();
  const never = new AbortController().signal;
  const ask = async (orb: FiguresWish): Promise<FailoverFigures | undefined> => {
    try {
      return await within({ clock, ms: DEADLINE_MS, what: 'the query for figures' }, never, (signal) =>
        query(orb, signal),
      );
    } catch (error) {
      logger.debug('no figures', { orb_id: orb.orbId, error });
      return undefined;
    }
  };
  const look = (orb: FiguresWish, key: string): Look => {
    const started: Look = { found: ask(orb), until: Number.POSITIVE_INFINITY };
    void started.found.then((figures) => {
      started.until = clock.monotonic() + (figures === undefined ? FAILED_KEPT_MS : KEPT_MS);
      return figures;
    });
    looks.delete(key);
    looks.set(key, started);
    const [oldest] = looks.keys();
    if (looks.size > MOST_ORBS && oldest !== undefined) looks.delete(oldest);
    return started;
  };
  return (orb) => {
    // Another active provider needs another query: each verdict is about one active provider.
    const key = JSON.stringify([orb.namespace, orb.orbId, orb.quantile, orb.active]);
    const known = looks.get(key);
    return (known !== undefined && clock.monotonic() < known.until ? known : look(orb, key)).found;
  };
}
