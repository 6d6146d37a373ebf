import type { LedgerLoad } from '../../adapters/ledger/port.ts';

type Admitted =
  | { readonly kind: 'admitted'; readonly release: () => void }
  | { readonly kind: 'refused'; readonly code: 'overloaded' | 'ledger-unavailable' };

/** Admits runs, or sheds them before anything is read (performance.md §3.4). */
export interface Admission {
  readonly admit: () => Admitted;
  readonly inFlight: () => number;
}

/** Bounds of performance.md §3.4. */
export interface AdmissionLimits {
  readonly runsInFlight: number;
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
 * @param onAdmitted called for each admitted run
 */
export function createAdmission(
  pressure: Pressure,
  limits: AdmissionLimits = admissionLimits,
  onAdmitted: () => void = () => undefined,
): Admission {
  let inFlight = 0;
  const release = (): void => {
    inFlight -= 1;
  };
  const admit = (): Admitted => {
    const { queuedRows, oldestMs } = pressure.ledger();
    if (oldestMs >= limits.awayAfterMs) return AWAY;
    const full = inFlight >= limits.runsInFlight || queuedRows >= limits.queuedRows;
    if (full || oldestMs >= limits.shedAfterMs || pressure.loopDelayMs() >= limits.loopDelayMs) return REFUSED;
    inFlight += 1;
    onAdmitted();
    return { kind: 'admitted', release };
  };
  return { admit, inFlight: () => inFlight };
}
