import { OUTAGE_WEIGHTS, UPTIME_METHOD } from '../../../core/status/uptime.ts';
import { MAX_TITLE } from '../../../core/status/public-text.ts';
import { IMPACTS } from '../../../core/status/round-incidents.ts';
import { forEachService, SERVICES, SERVICE_STATES } from '../../../core/status/service.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { closed, ref, shapes, text } from '../../http/schemas.ts';

const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const pct = (description: string): JsonSchema => ({ type: 'number', minimum: 0, maximum: 100, description });
const seconds = (description: string): JsonSchema => ({ type: 'number', minimum: 0, maximum: 86_400, description });
const listOf = (items: JsonSchema, maxItems: number): JsonSchema => ({ type: 'array', items, maxItems });

/** States as they are told and shown. */
export const stateSchema: JsonSchema = { type: 'string', enum: SERVICE_STATES };

/** At least one service, each once. */
export const servicesSchema: JsonSchema = {
  type: 'array',
  items: { type: 'string', enum: SERVICES },
  minItems: 1,
  maxItems: SERVICES.length,
  uniqueItems: true,
};

export const titleSchema: JsonSchema = { type: 'string', minLength: 1, maxLength: MAX_TITLE };

const incidentStatus: JsonSchema = {
  type: 'string',
  enum: ['investigating', 'identified', 'monitoring', 'resolved'],
};

const window = {
  id: text('Id of the window.'),
  title: text('What is done.'),
  services: servicesSchema,
  from: shapes.time,
  to: shapes.time,
  announced_at: shapes.time,
} as const;

const daySums = closed({
  up_s: seconds('Working.'),
  degraded_s: seconds('Working, and slow.'),
  partial_s: seconds('Half an outage.'),
  major_s: seconds('Outage, also in maintenance that was not announced 24 hours ahead.'),
  maintenance_s: seconds('Maintenance that was announced 24 hours ahead and in which the service did not work.'),
  unknown_s: seconds('Not measured.'),
});

/** Named schemas of the status. */
export const statusSchemas: Readonly<Record<string, JsonSchema>> = {
  StatusIncident: closed({
    id: text('Id of the incident.'),
    title: text('What is wrong.'),
    status: incidentStatus,
    impact: { type: 'string', enum: IMPACTS },
    services: servicesSchema,
    started_at: shapes.time,
    resolved_at: orNull(shapes.time),
    updates: listOf(closed({ at: shapes.time, status: incidentStatus, body: text('What was said.') }), 5),
  }),
  Status: closed({
    status: stateSchema,
    uptime_30d_pct: pct('Share of the measured time of 30 days in which the platform worked, rounded down.'),
    incidents: listOf(ref('StatusIncident'), 20),
    services: closed(forEachService(() => stateSchema)),
    last_updated: shapes.time,
    uptime: closed({
      method: { const: UPTIME_METHOD },
      window_start: shapes.time,
      coverage_pct: pct('Share of the window of which the state is known.'),
      low_coverage: { type: 'boolean', description: 'Less than 95 % of the window is known.' },
      weights: closed({
        major_outage: { const: OUTAGE_WEIGHTS.major_outage },
        partial_outage: { const: OUTAGE_WEIGHTS.partial_outage },
        degraded_performance: { const: OUTAGE_WEIGHTS.degraded_performance },
      }),
      per_service: closed(forEachService(() => orNull(pct('Of this service; null: nothing is known.')))),
    }),
    maintenance: listOf(closed(window), 20),
  }),
  StatusDays: closed({
    method: { const: UPTIME_METHOD },
    days: listOf(
      closed({ date: { type: 'string', format: 'date' }, services: closed(forEachService(() => daySums)) }),
      90,
    ),
    incidents: listOf(ref('StatusIncident'), 100),
  }),
  Maintenance: closed({ ...window, cancelled_at: orNull(shapes.time) }),
};
