import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { knownAt, table, textAt, textsAt } from '../io/output.ts';

export const INCIDENT_HEAD = ['INCIDENT', 'OPENED', 'STATUS', 'SEVERITY', 'IMPACT', 'ABOUT', 'TITLE'];

const aboutText = (incident: JsonValue): string =>
  ['orb_id', 'provider', 'service'].map((name) => knownAt(incident, name)).find((text) => text !== '') ?? '';

/** An incident in a line of a table. */
export const incidentRow = (incident: JsonValue): readonly string[] => [
  textAt(incident, 'incident_id'),
  textAt(incident, 'opened_at'),
  ...['status', 'severity', 'impact'].map((name) => textAt(incident, name)),
  aboutText(incident),
  textAt(incident, 'title'),
];

const percent = (receipts: JsonObject, name: string): string => {
  const basisPoints = member(receipts, name);
  return typeof basisPoints === 'number' ? `${basisPoints / 100} %` : '';
};

/** What the receipts of the Orb say about it; '' when nobody asked them yet. */
function receiptsText(incident: JsonObject): string {
  const receipts = objectAt(incident, 'receipts');
  if (Object.keys(receipts).length === 0) return '';
  const [failed, before] = [percent(receipts, 'error_bp'), percent(receipts, 'baseline_error_bp')];
  return `${textAt(receipts, 'window_runs')} runs, ${failed} failed, ${before} in the 30 days before`;
}

function logText(incident: JsonObject): string {
  const index = knownAt(objectAt(incident, 'log'), 'index');
  return index === '' ? 'not in the log: no score reads it' : `entry ${index} of the log`;
}

const updateRow = (update: JsonValue): readonly string[] => [
  textAt(update, 'at'),
  textAt(update, 'by'),
  textAt(update, 'text'),
];

/** An incident with its history. */
export function incidentText(incident: JsonObject): string {
  const notes = [
    member(incident, 'confirmed') === false ? 'not confirmed' : '',
    member(incident, 'flapping') === true ? 'flapping' : '',
  ].filter((note) => note !== '');
  const rows = [
    ['incident', textAt(incident, 'incident_id')],
    ['title', textAt(incident, 'title')],
    ['status', [textAt(incident, 'status'), ...notes].join(', ')],
    ['severity', `${textAt(incident, 'severity')}, impact ${textAt(incident, 'impact')}`],
    ['orb', knownAt(incident, 'orb_id')],
    ['provider', knownAt(incident, 'provider')],
    ['service', knownAt(incident, 'service')],
    ['part of', knownAt(incident, 'parent_id')],
    ['opened', textAt(incident, 'opened_at')],
    ['acknowledged', knownAt(incident, 'acknowledged_at')],
    ['muted until', knownAt(incident, 'muted_until')],
    ['resolved', knownAt(incident, 'resolved_at')],
    ['sources', textsAt(incident, 'sources')],
    ['signals', textAt(incident, 'signals')],
    ['receipts', receiptsText(incident)],
    ['log', logText(incident)],
  ];
  const updates = listAt(incident, 'updates').map(updateRow);
  return `${table(rows.filter(([, value]) => value !== ''))}\n${table(updates)}`;
}
