import type { Service, ServiceState } from './service.ts';

/** How bad an incident is, the worst last. */
export const IMPACTS = ['minor', 'major', 'critical'] as const;

export type Impact = (typeof IMPACTS)[number];

/** An incident of a service that rounds opened. Times are milliseconds since the epoch. */
export interface RoundIncident {
  readonly service: Service;
  readonly impact: Impact;
  readonly status: 'investigating' | 'monitoring' | 'resolved';
  /** Beginning of the first bad round. */
  readonly startedAt: number;
  /** Beginning of the good round that closed it; null: it is open. */
  readonly resolvedAt: number | null;
}

/** What rounds showed of a service since the last one that decided. */
export interface ServiceWatch {
  readonly incident: RoundIncident | null;
  /** Bad rounds without a good one between them, while no incident is open: the first, how many, and how bad. */
  readonly bad: { readonly since: number; readonly count: number; readonly impact: Impact } | null;
  /** Good rounds without a bad one between them, while an incident is open. */
  readonly good: number;
}

export const NOTHING_SEEN: ServiceWatch = { incident: null, bad: null, good: 0 };

export type IncidentTurn = 'opened' | 'worsened' | 'monitoring' | 'failing-again' | 'resolved';

export interface WatchStep {
  readonly watch: ServiceWatch;
  /** The incident with what happened to it; null: nothing did. */
  readonly turn: { readonly kind: IncidentTurn; readonly incident: RoundIncident } | null;
}

const OPENS_AFTER = 2;
const CLOSES_AFTER = 3;

const IMPACT_OF: Readonly<Partial<Record<ServiceState, Impact>>> = {
  degraded_performance: 'minor',
  partial_outage: 'major',
  major_outage: 'critical',
};

const worseOf = (one: Impact, other: Impact): Impact => (IMPACTS.indexOf(one) >= IMPACTS.indexOf(other) ? one : other);

const unchanged = (watch: ServiceWatch): WatchStep => ({ watch, turn: null });

const turned = (kind: IncidentTurn, incident: RoundIncident, good: number): WatchStep => ({
  watch: { incident, bad: null, good },
  turn: { kind, incident },
});

interface BadRound {
  readonly service: Service;
  readonly at: number;
  readonly impact: Impact;
}

/** A bad round while no incident is open. */
function countBad(bad: ServiceWatch['bad'], { service, at, impact }: BadRound): WatchStep {
  if (bad === null) return unchanged({ incident: null, bad: { since: at, count: 1, impact }, good: 0 });
  const seen = { since: bad.since, count: bad.count + 1, impact: worseOf(bad.impact, impact) };
  if (seen.count < OPENS_AFTER) return unchanged({ incident: null, bad: seen, good: 0 });
  const { since: startedAt } = seen;
  return turned('opened', { service, impact: seen.impact, status: 'investigating', startedAt, resolvedAt: null }, 0);
}

function badRound({ incident, bad }: ServiceWatch, round: BadRound): WatchStep {
  if (incident === null) return countBad(bad, round);
  const impact = worseOf(incident.impact, round.impact);
  const failing: RoundIncident = { ...incident, impact, status: 'investigating' };
  if (impact !== incident.impact) return turned('worsened', failing, 0);
  return incident.status === 'monitoring' ? turned('failing-again', failing, 0) : unchanged({ incident, bad, good: 0 });
}

function goodRound({ incident, good }: ServiceWatch, at: number): WatchStep {
  if (incident === null) return unchanged(NOTHING_SEEN);
  if (good + 1 >= CLOSES_AFTER)
    return {
      watch: NOTHING_SEEN,
      turn: { kind: 'resolved', incident: { ...incident, status: 'resolved', resolvedAt: at } },
    };
  return incident.status === 'monitoring'
    ? unchanged({ incident, bad: null, good: good + 1 })
    : turned('monitoring', { ...incident, status: 'monitoring' }, good + 1);
}

/**
 * What one round does to the incidents of a service: two bad rounds open one, which worsens and never lessens, a good round
 * makes it `monitoring`, and three close it. Unknown and maintenance neither open nor close one.
 * @param round of the same service, later than those before
 */
export function stepWatch(
  watch: ServiceWatch,
  { service, at, state }: { readonly service: Service; readonly at: number; readonly state: ServiceState },
): WatchStep {
  const impact = IMPACT_OF[state];
  if (impact !== undefined) return badRound(watch, { service, at, impact });
  return state === 'operational' ? goodRound(watch, at) : unchanged(watch);
}
