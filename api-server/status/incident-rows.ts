import { createHash } from 'node:crypto';
import type { IncidentChange, IncidentWithUpdates } from '../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { NO_ACTIONS, type Incident } from '../../core/ingestion/incidents/incident.ts';
import { readIncident } from '../../core/ingestion/incidents/read-incident.ts';
import { viewOf } from '../../core/ingestion/incidents/signal-state.ts';
import type { Severity } from '../../core/ingestion/mapping/signal.ts';
import { jcs } from '../../core/json/jcs.ts';
import { newId } from '../../core/receipt/ids.ts';
import { IMPACTS, type Impact, type IncidentTurn, type RoundIncident } from '../../core/status/round-incidents.ts';
import { isService, type Service } from '../../core/status/service.ts';
import type { IncidentUpdate, PublicIncident } from './public-incident.ts';

/** Who says so in the history of an incident that rounds opened. */
const PROBER = 'prober';
const GROUP = 'prober/';

/**
 * Id of an incident that rounds opened: the same for all who see the same rounds, so that the page of the prober and that
 * of the API name one incident alike.
 */
export function roundIncidentId({ service, startedAt }: Pick<RoundIncident, 'service' | 'startedAt'>): string {
  const seed = createHash('sha256').update(`${service} ${startedAt}`).digest();
  return newId('inc_', startedAt, (bytes) => seed.subarray(0, bytes));
}

const NAMES: Readonly<Record<Service, string>> = {
  runtime: 'Executing Orbs',
  reputation_ledger: 'Reading receipts and reputation',
  observable_engine: 'Measuring and swapping providers',
  ingestion: 'Receiving signals',
};

const TROUBLES: Readonly<Record<Impact, string>> = {
  minor: 'is slow',
  major: 'fails in part',
  critical: 'does not work',
};

export const roundIncidentTitle = ({ service, impact }: Pick<RoundIncident, 'service' | 'impact'>): string =>
  `${NAMES[service]} ${TROUBLES[impact]}`;

const TURNS: Readonly<Record<IncidentTurn, string>> = {
  opened: 'Checks found a problem twice in a row.',
  worsened: 'Checks found a worse problem.',
  monitoring: 'Checks succeed again.',
  'failing-again': 'Checks found the problem again.',
  resolved: 'Checks succeeded three times in a row.',
};

/** What a turn adds to the history. @param at beginning of the round */
export const updateOfTurn = (turn: IncidentTurn, { status }: RoundIncident, at: number): IncidentUpdate => ({
  at,
  status,
  body: TURNS[turn],
});

const SEVERITIES: Readonly<Record<Impact, Severity>> = { minor: 'warning', major: 'high', critical: 'critical' };

const EVENTS: Readonly<Partial<Record<IncidentTurn, string>>> = {
  opened: 'opened',
  worsened: 'updated',
  resolved: 'resolved',
};

/** The entry of the log: only what opens, worsens and closes an incident is recorded there. */
function entryOf(turn: IncidentTurn, incident: RoundIncident, at: number): string | undefined {
  const event = EVENTS[turn];
  if (event === undefined) return undefined;
  const { impact } = incident;
  const entry = { incident_id: roundIncidentId(incident), orb_id: null, impact, event, attributed: false };
  return jcs({ v: 1, kind: 'incident', ...entry, at: new Date(at).toISOString() });
}

/** The incident as the routes of incidents read it. No signal is behind it, so time alone never changes it. */
function documentOf(incident: RoundIncident, tenant: string): Incident & { readonly monitoring: boolean } {
  const { service, impact, status, startedAt, resolvedAt } = incident;
  return {
    incidentId: roundIncidentId(incident),
    tenant,
    groupKey: `${GROUP}${service}`,
    target: { kind: 'service', service },
    host: null,
    fingerprint: PROBER,
    title: roundIncidentTitle(incident),
    status: resolvedAt === null ? 'open' : 'resolved',
    severity: SEVERITIES[impact],
    impact,
    confirmedBy: 'source',
    flapping: false,
    parentId: null,
    openedAt: startedAt,
    acknowledgedAt: null,
    resolvedAt,
    floor: null,
    dueAt: null,
    countAt: null,
    members: [],
    actions: NO_ACTIONS,
    corroboration: null,
    monitoring: status === 'monitoring',
  };
}

/**
 * The change that a turn makes in the ledger.
 * @param place tenant, and the revision that was read
 */
export function changeOfTurn(
  { kind, incident }: { readonly kind: IncidentTurn; readonly incident: RoundIncident },
  at: number,
  place: { readonly tenant: string; readonly revision: number },
): IncidentChange {
  const { status, startedAt, resolvedAt } = incident;
  const { body } = updateOfTurn(kind, incident, at);
  const logEntry = entryOf(kind, incident, at);
  const document = documentOf(incident, place.tenant);
  return {
    incidentId: document.incidentId,
    expectedRevision: place.revision,
    tenant: place.tenant,
    groupKey: document.groupKey,
    status: document.status,
    severity: document.severity,
    orbId: null,
    provider: null,
    openedAt: startedAt,
    endedAt: resolvedAt,
    dueAt: null,
    onStatusPage: true,
    json: JSON.stringify(document),
    updates: [{ at, by: PROBER, json: JSON.stringify({ status, text: body }) }],
    ...(logEntry === undefined ? {} : { logEntry }),
  };
}

function membersOf(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  return isJsonObject(value) ? value : {};
}

const textOf = (value: JsonValue | undefined, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise;

const impactIn = (value: JsonValue | undefined): Impact => IMPACTS.find((impact) => impact === value) ?? 'minor';

function servicesIn({ target }: JsonObject): readonly Service[] {
  const service = isJsonObject(target) ? target['service'] : undefined;
  return typeof service === 'string' && isService(service) ? [service] : [];
}

const STATUSES: Readonly<Record<string, PublicIncident['status']>> = {
  open: 'investigating',
  acknowledged: 'identified',
  resolved: 'resolved',
};

const PUBLIC = ['investigating', 'identified', 'monitoring', 'resolved'] as const;

function updateIn(
  { at, json }: IncidentWithUpdates['updates'][number],
  otherwise: PublicIncident['status'],
): IncidentUpdate {
  const members = membersOf(json);
  const status = PUBLIC.find((known) => known === members['status']) ?? otherwise;
  return { at, status, body: textOf(members['text'], textOf(members['body'], '')) };
}

const FIRING: readonly string[] = ['firing', 'acknowledged'];

/** Whether checks succeed again, or every source says that it ended, and only the quiet period is not over. */
function isQuiet(json: string): boolean {
  const { members } = readIncident(json);
  return members.length === 0
    ? membersOf(json)['monitoring'] === true
    : members.every(({ state }) => !FIRING.includes(viewOf(state).kind));
}

/** An incident as everybody may see it. @returns undefined: nobody may, because it is unconfirmed or withdrawn */
export function publicIncidentOf(row: IncidentWithUpdates): PublicIncident | undefined {
  const kept = STATUSES[row.status];
  const document = membersOf(row.json);
  const services = servicesIn(document);
  if (kept === undefined || services.length === 0) return undefined;
  const status = kept !== 'resolved' && isQuiet(row.json) ? 'monitoring' : kept;
  return {
    id: row.incidentId,
    title: textOf(document['title'], 'Incident'),
    status,
    impact: impactIn(document['impact']),
    services,
    startedAt: row.openedAt,
    resolvedAt: row.endedAt,
    updates: row.updates.map((update) => updateIn(update, status)).toReversed(),
  };
}

/** The open incident of a service that rounds opened, as it is to go on after a start. */
export function roundIncidentOf(row: IncidentWithUpdates): RoundIncident | undefined {
  const shown = publicIncidentOf(row);
  const service = shown?.services[0];
  if (shown === undefined || service === undefined || !row.groupKey.startsWith(GROUP) || shown.resolvedAt !== null)
    return undefined;
  const status = shown.status === 'monitoring' ? 'monitoring' : 'investigating';
  return { service, impact: shown.impact, status, startedAt: shown.startedAt, resolvedAt: null };
}
