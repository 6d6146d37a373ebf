import type { IncidentChange, StoredIncident } from '../../../adapters/ledger/port.ts';
import { isActive, type ChangedIncident, type Incident } from '../../../core/ingestion/incidents/incident.ts';
import { readIncident } from '../../../core/ingestion/incidents/read-incident.ts';

/** An incident with the revision that it has in the ledger. */
export interface KnownIncident {
  readonly incident: Incident;
  readonly revision: number;
  readonly logIndex: number | null;
  /** The incident as text. */
  readonly json: string;
}

export const knownIncident = ({ json, revision, logIndex }: StoredIncident): KnownIncident => ({
  incident: readIncident(json),
  revision,
  logIndex,
  json,
});

function endedAt(incident: Incident): number | null {
  if (isActive(incident)) return null;
  // An incident that waits to open is not among those that are open.
  return incident.resolvedAt ?? incident.openedAt;
}

function providerOf({ target, host }: Incident): string | null {
  return target.kind === 'service' ? null : host;
}

/** The next time at which the worker looks at it. */
function nextDue({ dueAt, countAt }: Incident): number | null {
  return dueAt === null || countAt === null ? (dueAt ?? countAt) : Math.min(dueAt, countAt);
}

const isPublic = ({ target, status }: Incident): boolean =>
  target.kind === 'service' && status !== 'pending' && status !== 'unconfirmed' && status !== 'withdrawn';

/**
 * A change as the ledger takes it.
 * @param revision that the incident has; 0: it is new
 * @param logEntry text of the entry of the log about this change
 * @param json the changed incident as text, where the caller has it
 */
export function incidentChange(
  { incident, updates }: ChangedIncident,
  revision: number,
  logEntry?: string,
  json = JSON.stringify(incident),
): IncidentChange {
  const { incidentId, tenant, groupKey, status, severity, target, openedAt } = incident;
  return {
    incidentId,
    expectedRevision: revision,
    tenant,
    groupKey,
    status,
    severity,
    orbId: target.kind === 'orb' ? target.orb : null,
    provider: providerOf(incident),
    openedAt,
    endedAt: endedAt(incident),
    dueAt: nextDue(incident),
    onStatusPage: isPublic(incident),
    json,
    updates: updates.map(({ at, by, text }) => ({ at, by, json: JSON.stringify({ text }) })),
    ...(logEntry === undefined ? {} : { logEntry }),
  };
}
