import { closed, count, shapes, text } from '../../http/schemas.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { INCIDENT_WORDS } from '../../../core/ingestion/incidents/incident-view.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const idOf = (prefix: string, description: string): JsonSchema => ({
  type: 'string',
  pattern: `^${prefix}_${UUID}$`,
  description,
});
const timeOrNull: JsonSchema = { type: ['string', 'null'], description: 'UTC with milliseconds.' };
const textOrNull = (description: string): JsonSchema => ({ type: ['string', 'null'], description });

export const ids = {
  delivery: idOf('dlv', 'Id of a delivery.'),
  signal: idOf('sig', 'Id of a signal.'),
  incident: idOf('inc', 'Id of an incident.'),
};

const updates: JsonSchema = {
  type: 'array',
  description: 'What happened, the oldest first.',
  items: closed({
    at: shapes.time,
    by: text('`signal`, `time`, `receipts`, or a caller.'),
    text: text('In words.'),
  }),
};

const receipts: JsonSchema = {
  ...closed({
    window_runs: count('Runs of the time of the incident.'),
    error_bp: count('Share that failed, basis points.'),
    baseline_error_bp: count('The same over the 30 days before.'),
  }),
  type: ['object', 'null'],
};

export const incident = closed(
  {
    incident_id: ids.incident,
    namespace: text('Tenant.'),
    title: text('Of the newest firing.'),
    status: { type: 'string', enum: INCIDENT_WORDS.status },
    severity: { type: 'string', enum: INCIDENT_WORDS.severity },
    impact: { type: 'string', enum: INCIDENT_WORDS.impact },
    confirmed: { type: 'boolean', description: 'False: one source of low trust says it, or the publisher alone.' },
    attributed: { type: 'boolean', description: 'Receipts show it, and the log has an entry about it.' },
    parent_id: textOrNull('The outage of a provider that stands for it.'),
    flapping: { type: 'boolean' },
    opened_at: shapes.time,
    acknowledged_at: timeOrNull,
    resolved_at: timeOrNull,
    muted_until: timeOrNull,
    orb_id: textOrNull('{org}.{name}@{semver}'),
    provider: textOrNull('Host of the provider.'),
    service: textOrNull('A component of the public status.'),
    sources: { type: 'array', items: text('namespace/name') },
    signals: count('Distinct signals that its state still holds.'),
    receipts,
    log: { ...closed({ index: count('Index of its first entry.') }), type: ['object', 'null'] },
    updates,
  },
  ['updates'],
);

export const signal = closed({
  signal_id: ids.signal,
  source: text('namespace/name'),
  delivery_id: ids.delivery,
  at: shapes.time,
  last_seen: shapes.time,
  repeat_count: count('How often it came again.'),
  event: { type: 'object', description: 'CloudEvent 1.0.' },
});

export const deadLetter = closed(
  {
    delivery_id: ids.delivery,
    source: text('namespace/name'),
    received_at: shapes.time,
    reason: text('Why it could not be used.'),
    pointer: text('JSON Pointer of what is wrong: into the payload, or into the OrbSignalSource.'),
    detail: text('In words.'),
    attempts: count('Times that it failed or was sent again.'),
    bytes: count('Length of the body.'),
    has_body: { type: 'boolean', description: 'Without its body it can’t be mapped again.' },
    headers: { type: 'object', description: 'Those that are kept: no credential and no signature.' },
    body: textOrNull('The body as text; null: it was erased, or is no UTF-8.'),
  },
  ['headers', 'body'],
);

export const signalSource = closed({
  namespace: text('Tenant.'),
  name: text('Name of the OrbSignalSource.'),
  type: text('Vendor.'),
  mode: { type: 'string', enum: ['Active', 'Observe', 'Disabled'] },
  url_path: text('Where its vendor sends to, below the base address of ingestion.'),
  trust: { type: 'string', enum: ['signed', 'shared_secret', 'low'] },
  fingerprint_rule: text('The rule that gives a fingerprint.'),
  secrets_readable: { type: 'boolean' },
  last_event_at: timeOrNull,
  counts: closed({
    accepted: count('Deliveries since the source was first used; repeats are not counted.'),
    waiting: count('Not yet mapped.'),
    dead_letters: count('Dead letters that are kept.'),
  }),
});

export const listOf = (items: JsonSchema): JsonSchema =>
  closed({
    items: { type: 'array', items },
    next_cursor: textOrNull('For the next page; null: there is none.'),
  });
