import type { LedgerLoad } from '../../adapters/ledger/port.ts';
import type { Share } from '../../core/fair-share/share.ts';
import { SharedPlaces } from '../../core/fair-share/shared-places.ts';

type Admitted =
  | { readonly kind: 'admitted'; readonly release: () => void }
  | { readonly kind: 'refused'; readonly code: 'overloaded' | 'ledger-unavailable' };

/** Admits runs, or sheds them before their body is read (performance.md §3.4). */
export interface Admission {
  readonly admit: (share: Share) => Admitted;
  readonly inFlight: () => number;
}

/** Bounds of performance.md §3.4. */
export interface AdmissionLimits {
  readonly runsInFlight: number;
  /** Percent of the runs in flight that one tenant may have. */
  readonly tenantPct: number;
  readonly queuedRows: number;
  /** Age of the oldest queued row at which new runs are shed, ms. */
  readonly shedAfterMs: number;
  /** … and at which the ledger counts as away, ms. */
  readonly awayAfterMs: number;
  /** Mean delay of the event loop at which new runs are shed, ms. */
  readonly loopDelayMs: number;
}

export const admissionLimits: AdmissionLimits = {
  runsInFlight: 4096,
  tenantPct: 100,
  queuedRows: 4096,
  shedAfterMs: 500,
  awayAfterMs: 5000,
  loopDelayMs: 100,
};

/** The present load of the process. */
export interface Pressure {
  readonly ledger: () => LedgerLoad;
  /** Mean delay of the event loop in the last second, ms. */
  readonly loopDelayMs: () => number;
}

const REFUSED = { kind: 'refused', code: 'overloaded' } as const;
const AWAY = { kind: 'refused', code: 'ledger-unavailable' } as const;

/**
 * An admitted run keeps its place until `release`, called once: its finish row is never shed. While the ledger is away,
 * the queued rows probe it. When they fail, the queue is empty and the next run is the probe.
 *
 * Tenants share the places. Under load, only tenants with their part of the runs in flight are refused: the others did not
 * make the load. The bound of rows still holds, because each run in flight queues at most two.
 * @param onAdmitted called for each admitted run
 */
export function createAdmission(
  pressure: Pressure,
  limits: AdmissionLimits = admissionLimits,
  onAdmitted: () => void = () => undefined,
): Admission {
  const places = new SharedPlaces({ places: limits.runsInFlight, tenantPct: limits.tenantPct });
  const admit = ({ tenant }: Share): Admitted => {
    const { queuedRows, oldestMs } = pressure.ledger();
    if (oldestMs >= limits.awayAfterMs) return AWAY;
    const slow = oldestMs >= limits.shedAfterMs || pressure.loopDelayMs() >= limits.loopDelayMs;
    if ((slow || queuedRows >= limits.queuedRows) && places.hasItsPart(tenant)) return REFUSED;
    if (!places.take(tenant)) return REFUSED;
    onAdmitted();
    return { kind: 'admitted', release: () => places.giveBack(tenant) };
  };
  return { admit, inFlight: () => places.used };
}
