import { BEARER, GRAFANA, ORB_TOKEN, PAGERDUTY, SENTRY } from './schemes.ts';
import type { Mapping, VendorTemplate } from './template.ts';
import { meaning, OUR_STATUSES, SEVERITY_WORDS } from './words.ts';

const JSON_TYPES = ['application/json'];

const ALERTS: Mapping = {
  items: 'payload.alerts',
  kind: 'alert',
  statuses: OUR_STATUSES,
  severities: SEVERITY_WORDS,
  otherSeverity: 'warning',
  fields: {
    status: ['item.status'],
    severity: ['item.labels.severity'],
    title: ['item.annotations.summary', 'item.labels.alertname', 'payload.groupKey'],
    description: ['item.annotations.description'],
    fingerprint: ['item.fingerprint'],
    startsAt: ['item.startsAt'],
    endsAt: ['item.endsAt'],
    labels: ['item.labels'],
    link: ['item.generatorURL'],
    runbook: ['item.annotations.runbook_url'],
  },
};

export const ALERTMANAGER: VendorTemplate = {
  parser: 'json',
  mediaTypes: JSON_TYPES,
  scheme: BEARER,
  mapping: ALERTS,
};

export const GRAFANA_TEMPLATE: VendorTemplate = {
  ...ALERTMANAGER,
  scheme: GRAFANA,
  mapping: {
    ...ALERTS,
    fields: {
      ...ALERTS.fields,
      dashboard: ['item.panelURL', 'item.dashboardURL'],
      // The query that a condition judges last is usually named in this order.
      metricName: ['has(item.values.C) ? "C" : has(item.values.B) ? "B" : has(item.values.A) ? "A" : item.none'],
      metricValue: ['item.values.C', 'item.values.B', 'item.values.A'],
    },
  },
};

export const PAGERDUTY_TEMPLATE: VendorTemplate = {
  parser: 'json',
  mediaTypes: JSON_TYPES,
  scheme: PAGERDUTY,
  deliveryId: 'payload.event.id',
  mapping: {
    kind: 'incident',
    statuses: {
      ...meaning('firing', 'incident.triggered', 'incident.reopened', 'incident.unacknowledged', 'incident.escalated'),
      ...meaning('resolved', 'incident.resolved'),
      ...meaning('acknowledged', 'incident.acknowledged'),
    },
    otherStatus: 'info',
    severities: SEVERITY_WORDS,
    otherSeverity: 'warning',
    fields: {
      status: ['payload.event.event_type'],
      severity: ['payload.event.data.priority.summary', 'payload.event.data.urgency'],
      title: ['payload.event.data.title', 'payload.event.event_type'],
      fingerprint: ['payload.event.data.incident_key', 'payload.event.data.id'],
      occurredAt: ['payload.event.occurred_at'],
      labels: ['{"service": payload.event.data.service.summary}'],
      link: ['payload.event.data.html_url'],
    },
  },
};

export const SENTRY_TEMPLATE: VendorTemplate = {
  parser: 'json',
  mediaTypes: JSON_TYPES,
  scheme: SENTRY,
  mapping: {
    kind: 'error',
    // The kind stands in the member of `data`: the header with it is not signed.
    statuses: {
      ...meaning('firing', 'event:triggered', 'metric:critical', 'metric:warning'),
      ...meaning('resolved', 'issue:resolved', 'metric:resolved'),
      ...meaning('suppressed', 'issue:ignored', 'issue:archived'),
    },
    otherStatus: 'info',
    severities: SEVERITY_WORDS,
    otherSeverity: 'info',
    fields: {
      status: [
        'has(payload.data.event) ? "event:" + payload.action : payload.none',
        'has(payload.data.issue) ? "issue:" + payload.action : payload.none',
        'has(payload.data.metric_alert) ? "metric:" + payload.action : payload.none',
        'payload.action',
      ],
      severity: ['payload.data.event.level', 'payload.data.issue.level', 'payload.action'],
      title: [
        'payload.data.event.title',
        'payload.data.issue.title',
        'payload.data.description_title',
        'payload.data.metric_alert.title',
        'payload.data.metric_alert.alert_rule.name',
        'payload.action',
      ],
      fingerprint: [
        '"issue:" + payload.data.event.issue_id',
        '"issue:" + payload.data.issue.id',
        '"metric_alert:" + payload.data.metric_alert.id',
      ],
      occurredAt: [
        'payload.data.event.datetime',
        'payload.data.issue.lastSeen',
        'payload.action == "resolved" ? payload.data.metric_alert.date_closed : payload.none',
        'payload.data.metric_alert.date_detected',
      ],
      labels: ['payload.data.event.tags'],
      link: ['payload.data.event.web_url', 'payload.data.web_url'],
    },
  },
};

export const DATADOG: VendorTemplate = {
  parser: 'json',
  mediaTypes: JSON_TYPES,
  scheme: ORB_TOKEN,
  payload:
    '{"orb_template":"datadog/1","id":"$ID","alert_id":"$ALERT_ID","cycle_key":"$ALERT_CYCLE_KEY","aggreg_key":"$AGGREG_KEY","transition":"$ALERT_TRANSITION","alert_type":"$ALERT_TYPE","priority":"$ALERT_PRIORITY","title":"$EVENT_TITLE","scope":"$ALERT_SCOPE","tags":"$TAGS","link":"$LINK","date_ms":"$DATE","updated_ms":"$LAST_UPDATED","org_id":"$ORG_ID","hostname":"$HOSTNAME"}',
  mapping: {
    kind: 'alert',
    statuses: {
      ...meaning('firing', 'triggered', 're-triggered', 'warn', 're-warn', 'no data', 're-no data', 'renotify'),
      ...meaning('resolved', 'recovered'),
    },
    otherStatus: 'info',
    severities: SEVERITY_WORDS,
    otherSeverity: 'warning',
    orbTemplate: 'datadog/1',
    fields: {
      status: ['payload.transition'],
      severity: ['payload.priority', 'payload.alert_type'],
      title: ['payload.title'],
      fingerprint: ['payload.alert_id + "/" + payload.aggreg_key'],
      occurredAt: ['payload.updated_ms', 'payload.date_ms'],
      labels: ['payload.tags'],
      names: ['payload.hostname'],
      link: ['payload.link'],
    },
  },
};

export const NEWRELIC: VendorTemplate = {
  parser: 'json',
  mediaTypes: JSON_TYPES,
  scheme: BEARER,
  payload:
    '{"orb_template":"newrelic/1","id":{{json issueId}},"title":{{json annotations.title.[0]}},"priority":{{json priority}},"state":{{json state}},"trigger":{{json triggerEvent}},"entities":{{json entitiesData.names}},"incidents":{{json totalIncidents}},"policy":{{json accumulations.policyName}},"condition":{{json accumulations.conditionName}},"url":{{json issuePageUrl}},"created_ms":{{createdAt}},"updated_ms":{{updatedAt}}}',
  mapping: {
    kind: 'alert',
    statuses: {
      ...meaning('firing', 'created', 'activated', 'open'),
      ...meaning('resolved', 'closed', 'resolved'),
      ...meaning('acknowledged', 'acknowledged'),
    },
    otherStatus: 'info',
    severities: SEVERITY_WORDS,
    otherSeverity: 'warning',
    orbTemplate: 'newrelic/1',
    ownMember: 'current_state',
    fields: {
      status: ['payload.trigger == "ACKNOWLEDGED" ? payload.trigger : payload.state', 'payload.current_state'],
      severity: ['payload.priority', 'payload.severity'],
      title: ['payload.title', 'payload.condition_name', 'payload.details'],
      fingerprint: ['payload.id', 'payload.incident_id'],
      startsAt: ['payload.created_ms'],
      endsAt: ['payload.state in ["CLOSED", "RESOLVED"] ? payload.updated_ms : payload.none'],
      occurredAt: ['payload.updated_ms', 'payload.timestamp'],
      names: ['payload.entities', 'payload.targets[0].name'],
      link: ['payload.url', 'payload.incident_url'],
    },
  },
};
