import type { ChangedIncident, Incident } from './incident.ts';
import { isActive } from './incident.ts';

/** What a person does to an incident. Times are milliseconds since the epoch. */
export type IncidentAct =
  | { readonly kind: 'ack' }
  | { readonly kind: 'resolve' }
  | { readonly kind: 'mute'; readonly until: number }
  | { readonly kind: 'withdraw'; readonly reason: string }
  | { readonly kind: 'note'; readonly body: string };

export type ActResult =
  | ({ readonly ok: true } & ChangedIncident)
  /** The incident's status does not allow it. */
  | { readonly ok: false; readonly detail: string };

const refused = (detail: string): ActResult => ({ ok: false, detail });

interface Moment {
  readonly now: number;
  /** The caller, as it stands in the history. */
  readonly by: string;
}

function applied(incident: Incident, act: IncidentAct, now: number): Partial<Incident> | string {
  const { actions } = incident;
  switch (act.kind) {
    case 'ack':
      if (!isActive(incident)) return `it is ${incident.status}`;
      return { status: 'acknowledged', acknowledgedAt: now, actions: { ...actions, acknowledgedAt: now } };
    case 'resolve':
      if (!isActive(incident)) return `it is ${incident.status}`;
      return { status: 'resolved', resolvedAt: now, dueAt: null, actions: { ...actions, resolvedAt: now } };
    case 'mute':
      return isActive(incident) ? { actions: { ...actions, mutedUntil: act.until } } : `it is ${incident.status}`;
    case 'withdraw': {
      const { resolvedAt } = incident;
      const withdrawn = { ...actions, withdrawnAt: now };
      return { status: 'withdrawn', resolvedAt: resolvedAt ?? now, dueAt: null, actions: withdrawn };
    }
    case 'note':
      return {};
    default:
      return act satisfies never;
  }
}

function textOf(act: IncidentAct): string {
  switch (act.kind) {
    case 'ack':
      return 'acknowledged';
    case 'resolve':
      return 'resolved';
    case 'mute':
      return `muted until ${new Date(act.until).toISOString()}`;
    case 'withdraw':
      return `withdrawn: ${act.reason}`;
    case 'note':
      return act.body;
    default:
      return act satisfies never;
  }
}

/** What a person's act makes of an incident. An incident that was withdrawn takes notes only. */
export function actOn(incident: Incident, act: IncidentAct, { now, by }: Moment): ActResult {
  if (incident.status === 'withdrawn' && act.kind !== 'note') return refused('it is withdrawn');
  const change = applied(incident, act, now);
  if (typeof change === 'string') return refused(change);
  return { ok: true, incident: { ...incident, ...change }, updates: [{ at: now, by, text: textOf(act) }] };
}
