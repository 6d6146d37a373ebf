import { ALERTMANAGER, DATADOG, GRAFANA_TEMPLATE, NEWRELIC, PAGERDUTY_TEMPLATE, SENTRY_TEMPLATE } from './alerting.ts';
import {
  AMPLITUDE,
  CLOUDEVENTS,
  MIXPANEL,
  PINGDOM,
  POSTHOG,
  SEGMENT_TEMPLATE,
  STANDARD,
  STATUSCAKE,
  STATUSPAGE,
  UPTIMEROBOT,
} from './other-vendors.ts';
import { GITHUB, SENDGRID, SLACK, STRIPE } from './schemes.ts';
import type { FieldSources, VendorTemplate } from './template.ts';
import { OUR_STATUSES, SEVERITY_WORDS } from './words.ts';

/** Types of sources that have a template; the type `custom` brings its own mapping. */
export const VENDORS = {
  alertmanager: ALERTMANAGER,
  grafana: GRAFANA_TEMPLATE,
  pagerduty: PAGERDUTY_TEMPLATE,
  sentry: SENTRY_TEMPLATE,
  datadog: DATADOG,
  newrelic: NEWRELIC,
  statuspage: STATUSPAGE,
  segment: SEGMENT_TEMPLATE,
  posthog: POSTHOG,
  amplitude: AMPLITUDE,
  mixpanel: MIXPANEL,
  statuscake: STATUSCAKE,
  pingdom: PINGDOM,
  uptimerobot: UPTIMEROBOT,
  standardWebhooks: STANDARD,
  cloudevents: CLOUDEVENTS,
} as const satisfies Record<string, VendorTemplate>;

const custom = (scheme: VendorTemplate['scheme'], fields: FieldSources, items?: string): VendorTemplate => ({
  parser: 'json',
  mediaTypes: ['application/json'],
  scheme,
  mapping: {
    kind: 'change',
    statuses: OUR_STATUSES,
    severities: SEVERITY_WORDS,
    otherSeverity: 'info',
    fields,
    ...(items === undefined ? {} : { items }),
  },
});

/** Ready blocks for sources of type `custom`; each field has one expression, as a source has. */
export const CUSTOM_BLOCKS = {
  github: custom(GITHUB, {
    status: [
      '!has(payload.workflow_run) ? "info" : payload.workflow_run.conclusion == "failure" ? "firing" : payload.workflow_run.conclusion == "success" ? "resolved" : "info"',
    ],
    severity: ['has(payload.workflow_run) ? "warning" : "info"'],
    title: ['has(payload.workflow_run) ? payload.workflow_run.name : has(payload.action) ? payload.action : "github"'],
    fingerprint: ['"workflow:" + string(payload.workflow_run.workflow_id)'],
    occurredAt: ['payload.workflow_run.updated_at'],
    names: ['payload.repository.full_name'],
    link: ['payload.workflow_run.html_url'],
  }),
  slack: custom(SLACK, {
    status: ['"info"'],
    title: ['has(payload.event) && has(payload.event.text) ? payload.event.text : payload.type'],
    fingerprint: ['payload.event_id'],
    occurredAt: ['payload.event_time'],
    names: ['payload.event.channel'],
  }),
  stripe: custom(STRIPE, {
    status: ['"info"'],
    title: ['payload.type'],
    fingerprint: ['payload.id'],
    occurredAt: ['payload.created'],
  }),
  sendgrid: custom(
    SENDGRID,
    {
      status: ['item.event in ["dropped", "bounce", "blocked"] ? "firing" : "info"'],
      severity: ['item.event in ["dropped", "bounce", "blocked"] ? "warning" : "info"'],
      title: ['"SendGrid " + item.event'],
      description: ['item.reason'],
      fingerprint: ['item.sg_event_id'],
      occurredAt: ['item.timestamp'],
    },
    'payload',
  ),
} as const satisfies Record<string, VendorTemplate>;
