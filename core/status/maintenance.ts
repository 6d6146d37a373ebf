import type { Service, ServiceState } from './service.ts';
import type { Stretch } from './timeline.ts';

const DAY_MS = 86_400_000;

/** Maintenance counts as announced when it became known this long before it began, ms. */
const ANNOUNCED_AHEAD_MS = DAY_MS;

/** Longest window, ms. */
const MAX_MAINTENANCE_MS = 7 * DAY_MS;

/** A planned maintenance. Times are milliseconds since the epoch. */
export interface Maintenance extends Stretch {
  /** `mnt_…`. */
  readonly id: string;
  readonly services: readonly Service[];
  readonly title: string;
  /** When the ledger kept it, by the ledger's clock: nobody can announce afterwards. */
  readonly announcedAt: number;
  /** When it was cancelled or ended early; null: never. */
  readonly cancelledAt: number | null;
}

/** The stretch in which a window counts; empty when it was cancelled before it began. What was excluded before stays. */
const effectiveStretch = ({ from, to, cancelledAt }: Maintenance): Stretch => ({
  from,
  to: Math.max(from, Math.min(to, cancelledAt ?? to)),
});

/** Whether a window runs or is still to come. */
export const isAhead = (window: Maintenance, now: number): boolean => {
  const { from, to } = effectiveStretch(window);
  return from < to && to > now;
};

const covers = (window: Maintenance, service: Service, at: number): boolean => {
  const { from, to } = effectiveStretch(window);
  return window.services.includes(service) && from <= at && at < to;
};

const isAnnounced = ({ from, announcedAt }: Maintenance): boolean => announcedAt <= from - ANNOUNCED_AHEAD_MS;

/** A state as it is kept. */
export interface KeptState {
  readonly state: ServiceState;
  readonly announced: boolean;
}

/**
 * What is kept of a state that a round found: an outage within a maintenance window is maintenance. A service that works
 * or is slow within a window stays what it is.
 * @param at beginning of the round: it decides for the whole round
 */
export function stateInMaintenance(
  found: { readonly service: Service; readonly state: ServiceState; readonly at: number },
  windows: readonly Maintenance[],
): KeptState {
  const { service, state, at } = found;
  const isFailing = state === 'partial_outage' || state === 'major_outage';
  const running = isFailing ? windows.filter((window) => covers(window, service, at)) : [];
  if (running.length === 0) return { state, announced: false };
  return { state: 'under_maintenance', announced: running.some(isAnnounced) };
}

const CLOCK_SLACK_MS = 5000;

export type MaintenanceProblem = 'empty' | 'too-long' | 'past';

/** Why a window can't be planned; undefined: it can. Five seconds in the past are the way of the request. */
export function maintenanceProblem({ from, to }: Stretch, now: number): MaintenanceProblem | undefined {
  if (from < now - CLOCK_SLACK_MS) return 'past';
  if (to <= from) return 'empty';
  return to - from > MAX_MAINTENANCE_MS ? 'too-long' : undefined;
}
