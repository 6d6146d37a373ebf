import type { JsonObject } from '../../json/json-value.ts';
import { SEVERITIES } from '../mapping/signal.ts';
import { INCIDENT_STATUSES, type Incident, type IncidentUpdate } from './incident.ts';

const timeText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Distinct signals that the states still hold. */
const signalsOf = ({ members }: Incident): number =>
  members.reduce((sum, { state }) => sum + state.starts.length + state.ends.length + Number(state.mark !== null), 0);

function receiptsView({ corroboration }: Incident): JsonObject | null {
  if (corroboration === null) return null;
  const { windowRuns, errorBp, baselineErrorBp } = corroboration.counts;
  return { window_runs: windowRuns, error_bp: errorBp, baseline_error_bp: baselineErrorBp };
}

function statesView(incident: Incident): JsonObject {
  const { status, severity, impact, flapping, parentId, corroboration, actions } = incident;
  return {
    status,
    severity,
    impact,
    confirmed: status !== 'unconfirmed',
    attributed: corroboration?.logged !== undefined && corroboration.logged !== null,
    parent_id: parentId,
    flapping,
    opened_at: timeText(incident.openedAt),
    acknowledged_at: timeText(incident.acknowledgedAt),
    resolved_at: timeText(incident.resolvedAt),
    muted_until: timeText(actions.mutedUntil),
  };
}

/**
 * An incident as it is shown.
 * @param logIndex of its first entry in the log; null: it has none
 * @param updates its history; undefined: a list leaves it out
 */
export function incidentView(
  incident: Incident,
  logIndex: number | null,
  updates?: readonly IncidentUpdate[],
): JsonObject {
  const { incidentId, tenant, title, target, host, members } = incident;
  return {
    incident_id: incidentId,
    namespace: tenant,
    title,
    ...statesView(incident),
    orb_id: target.kind === 'orb' ? target.orb : null,
    provider: target.kind === 'service' ? null : host,
    service: target.kind === 'service' ? target.service : null,
    sources: members.map(({ source }) => source),
    signals: signalsOf(incident),
    receipts: receiptsView(incident),
    log: logIndex === null ? null : { index: logIndex },
    ...(updates === undefined ? {} : { updates: updates.map(({ at, by, text }) => ({ at: timeText(at), by, text })) }),
  };
}

/** Words of the members that have a closed set of them. */
export const INCIDENT_WORDS = {
  status: INCIDENT_STATUSES,
  severity: SEVERITIES,
  impact: ['minor', 'major', 'critical'],
} as const;
