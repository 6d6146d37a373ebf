import { BASIC, MD5_TOKEN, ORB_TOKEN, SEGMENT, STANDARD_WEBHOOKS, URL_TOKEN } from './schemes.ts';
import type { FieldSources, Mapping, VendorTemplate } from './template.ts';
import { meaning, OUR_STATUSES, SEVERITY_WORDS } from './words.ts';

const JSON_TYPES = ['application/json'];
const json = (scheme: VendorTemplate['scheme'], mapping: Mapping): VendorTemplate => ({
  parser: 'json',
  mediaTypes: JSON_TYPES,
  scheme,
  mapping,
});

const uptime = (form: Pick<Mapping, 'statuses' | 'fields'> & Partial<Mapping>): Mapping => ({
  kind: 'uptime',
  otherStatus: 'info',
  severities: { low: 'low', '3': 'warning' },
  otherSeverity: 'high',
  ...form,
});

/** Fingerprint `TestID`; without one, the digest of name and URL. */
export const STATUSCAKE: VendorTemplate = {
  parser: 'form',
  mediaTypes: ['application/x-www-form-urlencoded'],
  scheme: MD5_TOKEN,
  mapping: uptime({
    statuses: { ...meaning('firing', 'down'), ...meaning('resolved', 'up') },
    fields: {
      status: ['payload.status'],
      title: ['payload.name + " " + payload.status'],
      fingerprint: ['payload.testid'],
      fingerprintText: ['payload.name + "\\n" + payload.url'],
      metricName: ['has(payload.statuscode) ? "status_code" : payload.none'],
      metricValue: ['payload.statuscode'],
      labels: ['payload.tags'],
    },
  }),
};

export const PINGDOM = json(
  URL_TOKEN,
  uptime({
    statuses: { ...meaning('firing', 'down', 'failing'), ...meaning('resolved', 'up', 'success') },
    fields: {
      status: ['payload.current_state'],
      severity: ['payload.importance_level'],
      title: ['payload.check_name + " " + payload.current_state'],
      description: ['payload.long_description'],
      fingerprint: ['payload.check_id'],
      // `state_changed_utc_time` has no zone.
      occurredAt: ['payload.state_changed_timestamp'],
      labels: ['payload.tags'],
    },
  }),
);

export const UPTIMEROBOT: VendorTemplate = {
  ...json(
    URL_TOKEN,
    uptime({
      orbTemplate: 'uptimerobot/1',
      // The default variables of a GET have names of their own.
      ownMember: 'monitorID',
      statuses: { ...meaning('firing', '1', '3'), ...meaning('resolved', '2') },
      fields: {
        status: ['payload.type', 'payload.alertType'],
        severity: ['payload.type', 'payload.alertType'],
        title: ['payload.name', 'payload.monitorFriendlyName'],
        description: ['payload.details', 'payload.alertDetails'],
        fingerprint: ['payload.id', 'payload.monitorID'],
        occurredAt: ['payload.at_s', 'payload.alertDateTime'],
        names: ['payload.name', 'payload.monitorFriendlyName'],
      },
    }),
  ),
  payload:
    '{"orb_template":"uptimerobot/1","id":"*monitorID*","url":"*monitorURL*","name":"*monitorFriendlyName*","type":"*alertType*","details":"*alertDetails*","duration_s":"*alertDuration*","at_s":"*alertDateTime*"}',
};

const CHANGE = { status: 'info', kind: 'change' } as const;

export const STATUSPAGE = json(URL_TOKEN, {
  kind: 'incident',
  statuses: {
    ...meaning('firing', 'investigating', 'identified', 'monitoring'),
    ...meaning('firing', 'degraded_performance', 'partial_outage', 'major_outage'),
    ...meaning('resolved', 'resolved', 'postmortem', 'operational'),
    scheduled: CHANGE,
    in_progress: CHANGE,
    verifying: CHANGE,
    completed: CHANGE,
    under_maintenance: CHANGE,
  },
  otherStatus: 'info',
  severities: {
    critical: 'critical',
    major_outage: 'critical',
    major: 'high',
    partial_outage: 'high',
    minor: 'warning',
    degraded_performance: 'warning',
    none: 'info',
  },
  otherSeverity: 'warning',
  fields: {
    // A backfilled incident is over: nothing fires.
    status: [
      'payload.incident.backfilled ? "backfilled" : payload.incident.status',
      'payload.incident.status',
      'payload.component_update.new_status',
    ],
    severity: ['payload.incident.impact', 'payload.component_update.new_status'],
    title: ['payload.incident.name', 'payload.component.name'],
    fingerprint: ['"incident:" + payload.incident.id', '"component:" + payload.component_update.component_id'],
    startsAt: ['payload.incident.created_at'],
    occurredAt: ['payload.incident.updated_at', 'payload.component_update.created_at'],
    labels: ['{"component": payload.component.name}'],
    link: ['payload.incident.shortlink'],
  },
});

const analytics = (fields: Omit<FieldSources, 'status'>, orbTemplate?: string): Mapping => ({
  kind: 'analytics',
  statuses: {},
  otherStatus: 'info',
  severities: {},
  otherSeverity: 'info',
  fields: { status: ['"info"'], ...fields },
  ...(orbTemplate === undefined ? {} : { orbTemplate }),
});

export const SEGMENT_TEMPLATE = json(
  SEGMENT,
  analytics({
    title: ['payload.event', 'payload.type'],
    fingerprint: ['payload.messageId'],
    occurredAt: ['payload.timestamp'],
    labels: ['payload.properties'],
  }),
);

export const POSTHOG: VendorTemplate = {
  ...json(
    ORB_TOKEN,
    analytics(
      {
        title: ['payload.event.event'],
        fingerprint: ['payload.event.uuid'],
        occurredAt: ['payload.event.timestamp'],
        labels: ['payload.event.properties'],
      },
      'posthog/1',
    ),
  ),
  payload: '{"orb_template":"posthog/1","event":"{event}","person":"{person}","project":"{project}"}',
};

/** Amplitude's own example for batches, with the name of the template. */
export const AMPLITUDE: VendorTemplate = {
  ...json(
    ORB_TOKEN,
    analytics(
      {
        title: ['payload.cohort_name', '"cohort"'],
        occurredAt: ['payload.computed_time'],
        labels: ['{"cohort_id": payload.cohort_id, "in_cohort": string(payload.in_cohort)}'],
      },
      'amplitude/1',
    ),
  ),
  payload:
    '{"orb_template":"amplitude/1","cohort_name":"${input.cohort_name}","cohort_id":"${input.cohort_id}","in_cohort":${input.in_cohort?c},"computed_time":"${input.computed_time}","message_id":"${input.message_id}","users":[<#list input.users as user>{"user_id":"${user.user_id}"}<#sep>,</#list>]}',
};
export const MIXPANEL = json(BASIC, analytics({ title: ['payload.action'] }));

export const STANDARD: VendorTemplate = json(STANDARD_WEBHOOKS, {
  kind: 'alert',
  statuses: OUR_STATUSES,
  severities: SEVERITY_WORDS,
  otherSeverity: 'warning',
  fields: {
    status: ['payload.data.status'],
    severity: ['payload.data.severity'],
    title: ['payload.data.title', 'payload.type'],
    fingerprint: ['payload.data.key', 'headers["webhook-id"]'],
    occurredAt: ['payload.timestamp'],
    labels: ['{"orb_id": payload.data.orb_id}'],
  },
});

/**
 * Events in structured, binary or batched form; their data has the members of Standard Webhooks. In binary form the
 * payload is the data, and the attributes are headers.
 */
export const CLOUDEVENTS: VendorTemplate = {
  ...STANDARD,
  mediaTypes: ['application/cloudevents+json', 'application/cloudevents-batch+json', 'application/json'],
  mapping: {
    ...STANDARD.mapping,
    isBatch: true,
    fields: {
      status: ['item.data.status', 'item.status'],
      severity: ['item.data.severity', 'item.severity'],
      title: ['item.data.title', 'item.title', 'item.type', 'headers["ce-type"]'],
      fingerprint: ['item.data.key', 'item.key', 'item.subject', 'headers["ce-subject"]'],
      occurredAt: ['item.time', 'headers["ce-time"]'],
      labels: ['{"orb_id": item.data.orb_id}', '{"orb_id": item.orb_id}'],
      names: ['item.subject', 'headers["ce-subject"]'],
    },
  },
};
