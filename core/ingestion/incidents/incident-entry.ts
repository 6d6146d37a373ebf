import { entryText } from '../../log-entry/entry.ts';
import { isActive, type ChangedIncident, type Corroboration, type Incident, type LoggedEvent } from './incident.ts';

/** A change with the text of its entry in the log; undefined: the log says nothing about it. */
export interface EnteredChange extends ChangedIncident {
  readonly logEntry?: string;
}

/** An incident with an entry of the log about it. Only an attributed incident has entries: they name its Orb. */
export function enter(change: ChangedIncident, corroboration: Corroboration, logged: LoggedEvent): EnteredChange {
  const { incident, updates } = change;
  const { incidentId, target } = incident;
  if (target.kind !== 'orb') throw new TypeError('an incident in the log is about an Orb');
  const { event, impact, at } = logged;
  const logEntry = entryText({
    kind: 'incident',
    incident_id: incidentId,
    orb_id: target.orb,
    impact,
    event,
    attributed: true,
    at: new Date(at).toISOString(),
  });
  return { incident: { ...incident, impact, corroboration: { ...corroboration, logged } }, updates, logEntry };
}

function nextEvent(incident: Incident, { event }: LoggedEvent): LoggedEvent['event'] | undefined {
  if (event === 'withdrawn') return undefined;
  if (incident.status === 'withdrawn') return 'withdrawn';
  return event !== 'resolved' && !isActive(incident) ? 'resolved' : undefined;
}

/**
 * A change of an incident with what the log must say about it: whatever ends an entered incident is entered, else it would
 * stay open there for ever. @param now milliseconds since the epoch
 */
export function followInLog(change: ChangedIncident, now: number): EnteredChange {
  const { corroboration } = change.incident;
  if (corroboration?.logged === undefined || corroboration.logged === null) return change;
  const event = nextEvent(change.incident, corroboration.logged);
  return event === undefined ? change : enter(change, corroboration, { ...corroboration.logged, event, at: now });
}
