import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { table, textAt, textsAt } from '../io/output.ts';

const STATES: Readonly<Record<string, string>> = {
  operational: 'operational',
  under_maintenance: 'under maintenance',
  degraded_performance: 'degraded',
  unknown: 'not known',
  partial_outage: 'partly out',
  major_outage: 'out',
};

const stateText = (word: string): string => STATES[word] ?? word;

const percent = (value: JsonValue, name: string): string => {
  const found = member(value, name);
  return typeof found === 'number' ? `${found} %` : '–';
};

function servicesText(status: JsonObject): string {
  const services = objectAt(status, 'services');
  const uptime = objectAt(objectAt(status, 'uptime'), 'per_service');
  const rows = Object.keys(services).map((name) => [name, stateText(textAt(services, name)), percent(uptime, name)]);
  return table([['SERVICE', 'STATE', 'UPTIME'], ...rows]);
}

const incidentRow = (incident: JsonValue): readonly string[] => [
  textAt(incident, 'started_at'),
  textAt(incident, 'impact'),
  textAt(incident, 'status'),
  textAt(incident, 'title'),
];

/** A window in a line of a table. */
export const windowRow = (window: JsonValue): readonly string[] => [
  textAt(window, 'from'),
  textAt(window, 'to'),
  textsAt(window, 'services'),
  textAt(window, 'title'),
];

const listText = (head: string, rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? `${head}: none\n` : `${head}:\n${table(rows)}`;

/** The answer of `GET /status` for people. */
export function statusText(status: JsonObject): string {
  const uptime = objectAt(status, 'uptime');
  const head = table([
    ['Platform', stateText(textAt(status, 'status'))],
    ['Uptime', `${percent(status, 'uptime_30d_pct')} of the measured time of 30 days`],
    ['Measured', `${percent(uptime, 'coverage_pct')} of 30 days, last at ${textAt(status, 'last_updated')}`],
  ]);
  const incidents = listText('Incidents', listAt(status, 'incidents').map(incidentRow));
  const windows = listText('Maintenance', listAt(status, 'maintenance').map(windowRow));
  return `${head}\n${servicesText(status)}\n${incidents}${windows}`;
}
