/** 2026-11-20T10:00:00Z, milliseconds: when all samples were sent; some tell of an end within the next quarter of an hour. */
export const SAMPLE_TIME = 1_795_168_800_000;

/** The Orb that most samples are about. */
const SAMPLE_ORB = 'acme.mailer@1.2.0';

/**
 * One delivery of each vendor, byte for byte as it comes. SendGrid has none: its deliveries are signed
 * with a key that only SendGrid has.
 */
export const SAMPLES = {
  alertmanager:
    String.raw`{"receiver":"orb","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"OrbHighErrorRate","severity":"critical","orb_id":"acme.mailer@1.2.0","provider":"sendgrid"},"annotations":{"summary":"acme.mailer error rate 12 % for 5 min","runbook_url":"https://runbooks.acme.example/mailer"},"startsAt":"2026-11-20T10:00:00.000Z","endsAt":"0001-01-01T00:00:00Z","generatorURL":"https://prom.acme.example/graph?g0.expr=x","fingerprint":"c1f2a3b4d5e6f708"}],"groupLabels":{"alertname":"OrbHighErrorRate"},"commonLabels":{"alertname":"OrbHighErrorRate","severity":"critical"},"commonAnnotations":{},"externalURL":"https://am.acme.example","version":"4","groupKey":"{}:{alertname=\"OrbHighErrorRate\"}","truncatedAlerts":0}` +
    '\n',
  grafana: String.raw`{"receiver":"orb","status":"resolved","orgId":1,"alerts":[{"status":"resolved","labels":{"alertname":"mailer p95","orb_id":"acme.mailer@1.2.0","severity":"high"},"annotations":{"summary":"p95 back under 800 ms"},"startsAt":"2026-11-20T10:00:00Z","endsAt":"2026-11-20T10:12:00Z","values":{"A":612.4},"valueString":"[ var='A' value=612.4 ]","generatorURL":"https://grafana.acme.example/alerting/grafana/abc/view","fingerprint":"57c6d9296de2ad39","silenceURL":"https://grafana.acme.example/alerting/silence/new","dashboardURL":"","panelURL":"","imageURL":""}],"groupLabels":{},"commonLabels":{"severity":"high"},"commonAnnotations":{},"externalURL":"https://grafana.acme.example/","version":"1","groupKey":"{}:{alertname=\"mailer p95\"}","truncatedAlerts":0,"title":"[RESOLVED] mailer p95","state":"ok","message":"p95 back under 800 ms"}`,
  pagerduty:
    '{"event":{"id":"01DDVU5SCMDQ4AXA5CGB5JNXS7","event_type":"incident.triggered","resource_type":"incident","occurred_at":"2026-11-20T10:00:00Z","agent":null,"client":null,"data":{"id":"PGR0VU2","type":"incident","self":"https://api.pagerduty.com/incidents/PGR0VU2","html_url":"https://acme.pagerduty.com/incidents/PGR0VU2","number":4211,"status":"triggered","incident_key":"mailer-errors","created_at":"2026-11-20T10:00:00Z","title":"acme.mailer errors","service":{"id":"PF9KMXH","type":"service_reference","summary":"Mailer"},"assignees":[],"priority":{"id":"P1","type":"priority_reference","summary":"P1"},"urgency":"high"}}}',
  sentry:
    '{"action":"triggered","installation":{"uuid":"a8e5d37a-696c-4c54-adb5-b3f28d64c7de"},"data":{"event":{"event_id":"e4874d664c3540c1a32eab185f12c5ab","issue_id":"1170820242","project":1,"title":"TimeoutError: sendgrid","level":"error","datetime":"2026-11-20T10:00:00.000000Z","web_url":"https://sentry.io/organizations/acme/issues/1170820242/events/e4874d664c3540c1a32eab185f12c5ab/","tags":[["orb_id","acme.mailer@1.2.0"],["environment","prod"]]},"triggered_rule":"Mailer errors"},"actor":{"type":"application","id":"sentry","name":"Sentry"}}',
  datadog:
    '{"orb_template":"datadog/1","id":"6534820134","alert_id":"1234","cycle_key":"6534820134","aggreg_key":"9bd4ac313a4d1e8fae2482df7b77628","transition":"Triggered","alert_type":"error","priority":"P2","title":"[Triggered] mailer p95 high","scope":"orb_id:acme.mailer@1.2.0","tags":"orb_id:acme.mailer@1.2.0,env:prod","link":"https://app.datadoghq.com/event/event?id=6534820134","date_ms":"1795168800000","updated_ms":"1795168800000","org_id":"11023","hostname":""}',
  newrelic:
    '{"orb_template":"newrelic/1","id":"0ea2df1c-9c4b-4f5a-8e7d-2b1a6c3d4e5f","title":"mailer error rate above 5 %","priority":"CRITICAL","state":"ACTIVATED","trigger":"STATE_CHANGE","entities":["acme.mailer@1.2.0"],"incidents":1,"policy":["Orbs"],"condition":["mailer errors"],"url":"https://radar-api.service.newrelic.com/accounts/1/issues/0ea2df1c","created_ms":1795168740000,"updated_ms":1795168800000}',
  statuspage:
    '{"meta":{"unsubscribe":"https://status.mail.example/unsubscribe","documentation":"https://doc.statuspage.example"},"page":{"id":"j2mfxwj97wnj","status_indicator":"major","status_description":"Partial System Outage"},"incident":{"id":"3kw1tbvy4dsz","name":"Delivery is delayed","status":"investigating","impact":"major","backfilled":false,"created_at":"2026-11-20T10:00:00Z","updated_at":"2026-11-20T10:00:00Z","shortlink":"https://stspg.example/3kw1tbvy4dsz","incident_updates":[{"id":"7yb2m9d5k1qx","status":"investigating","body":"We are looking into it.","created_at":"2026-11-20T10:00:00Z"}]}}',
  segment:
    '{"type":"track","messageId":"ajs-next-1795168800-7f3c","event":"Orb Email Bounced","userId":"u_91","anonymousId":"a_17","properties":{"orb_id":"acme.mailer@1.2.0","reason":"hard"},"context":{"library":{"name":"analytics.js","version":"2.1.0"}},"timestamp":"2026-11-20T10:00:00.000Z","sentAt":"2026-11-20T10:00:00.100Z","receivedAt":"2026-11-20T10:00:00.200Z"}',
  posthog:
    '{"orb_template":"posthog/1","event":{"uuid":"0193a1c2-7d3e-7000-8000-1795168800af","event":"Email bounced","distinct_id":"u_91","properties":{"orb_id":"acme.mailer@1.2.0","reason":"hard"},"timestamp":"2026-11-20T10:00:00.000Z"},"person":{"id":"p_17","properties":{}},"project":{"id":7,"name":"acme"}}',
  amplitude:
    '{"orb_template":"amplitude/1","cohort_name":"Trial users","cohort_id":"k9x2","in_cohort":true,"computed_time":"1795168800","message_id":"k9x2-1795168800","users":[{"user_id":"u_91"}]}',
  mixpanel:
    '{"action":"add_members","parameters":{"mixpanel_project_id":"7","mixpanel_cohort_name":"Trial users","mixpanel_cohort_id":"4242","mixpanel_session_id":"1795168800","page_info":{"total_pages":1,"page_count":1},"members":[{"mixpanel_distinct_id":"u_91"}]}}',
  statuscake:
    'Token=b71cecc9d15ee1b84154f7aa9950397a&Status=Down&StatusCode=503&URL=https%3A%2F%2Fapi.sendgrid.example%2Fhealth&Name=mailer&Tags=orb_id%3Aacme.mailer%401.2.0&IP=198.51.100.7&Checkrate=60&TestID=6891&Method=Website',
  pingdom:
    '{"check_id":12345,"check_name":"mailer","check_type":"HTTP","check_params":{"basic_auth":false,"encryption":true,"full_url":"https://api.sendgrid.example/health","hostname":"api.sendgrid.example","ipv6":false,"port":443,"url":"/health"},"tags":["orb_id:acme.mailer@1.2.0"],"previous_state":"UP","current_state":"DOWN","importance_level":"HIGH","state_changed_timestamp":1795168800,"state_changed_utc_time":"2026-11-20T10:00:00","long_description":"HTTP Server Error 503 Service Unavailable","description":"HTTP Error 503","first_probe":{"ip":"203.0.113.5","ipv6":"","location":"Stockholm, Sweden"},"second_probe":{},"version":1,"custom_message":""}',
  uptimerobot:
    '{"orb_template":"uptimerobot/1","id":"778899","url":"https://api.sendgrid.example/health","name":"acme.mailer@1.2.0","type":"1","details":"HTTP 503","duration_s":"60","at_s":"1795168800"}',
  standardWebhooks:
    '{"type":"orb.degraded","timestamp":"2026-11-20T10:00:00.000Z","data":{"orb_id":"acme.mailer@1.2.0","status":"firing","severity":"high","title":"p95 above 800 ms","key":"mailer-p95"}}',
  cloudevents:
    '{"specversion":"1.0","id":"a-1795168800","source":"https://monitor.acme.example","type":"example.alert","subject":"mailer-p95","time":"2026-11-20T10:00:00Z","datacontenttype":"application/json","data":{"orb_id":"acme.mailer@1.2.0","status":"firing","severity":"high","title":"p95 above 800 ms","key":"mailer-p95"}}',
  github:
    '{"action":"completed","workflow_run":{"id":9001,"name":"deploy mailer","workflow_id":4211,"conclusion":"failure","html_url":"https://github.com/acme/mailer/actions/runs/9001","updated_at":"2026-11-20T10:00:00Z"},"repository":{"full_name":"acme/mailer"}}',
  slack:
    '{"type":"event_callback","team_id":"T1DC2JH3J","event_id":"Ev1795168800","event_time":1795168800,"event":{"type":"message","channel":"C0MAILER","text":"The mailer is slow","ts":"1795168800.000100"}}',
  stripe:
    '{"id":"evt_1795168800","object":"event","created":1795168800,"type":"charge.failed","data":{"object":{"id":"ch_42","object":"charge","amount":1900,"currency":"eur"}}}',
} as const satisfies Readonly<Record<string, string>>;

/** Vendors and products that have a sample. */
export type SampleName = keyof typeof SAMPLES;

export const isSampleName = (name: string): name is SampleName => Object.hasOwn(SAMPLES, name);

/** The id by which PagerDuty's sample is known as delivered. */
const PAGERDUTY_ID = '01DDVU5SCMDQ4AXA5CGB5JNXS7';
const ISO = /2026-11-20T\d\d:\d\d:\d\d/g;
/** Seconds of that day since 1970, or milliseconds. */
const EPOCH = /(?<!\d)17951\d{5}(?:000)?(?!\d)/g;
const MILLISECOND_DIGITS = 13;

const msOfIso = (text: string): number => Date.parse(`${text}Z`);
const msOfEpoch = (digits: string): number => Number(digits) * (digits.length === MILLISECOND_DIGITS ? 1 : 1000);

/** A sample as its vendor would send it now. */
export interface Freshness {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** 26 letters and digits that no delivery had before. */
  readonly id: string;
}

/**
 * A sample with its times moved, so that the newest of them is now, and with a new id where its vendor signs one. So it
 * is not taken for a repeat. StatusCake's has neither.
 */
export function freshSample(name: SampleName, { now, id }: Freshness): string {
  const body: string = SAMPLES[name];
  const times = [...(body.match(ISO) ?? []).map(msOfIso), ...(body.match(EPOCH) ?? []).map(msOfEpoch)];
  const second = Math.floor(now / 1000) * 1000;
  const shift = second - Math.max(SAMPLE_TIME, ...times);
  return body
    .replaceAll(ISO, (text) => new Date(msOfIso(text) + shift).toISOString().slice(0, -'.000Z'.length))
    .replaceAll(EPOCH, (digits) => {
      const moved = msOfEpoch(digits) + shift;
      return String(digits.length === MILLISECOND_DIGITS ? moved : moved / 1000);
    })
    .replaceAll(PAGERDUTY_ID, id);
}

/** A sample about another Orb. @returns undefined when it names none */
export function sampleAbout(body: string, orbId: string): string | undefined {
  const changed = body
    .replaceAll(SAMPLE_ORB, orbId)
    .replaceAll(encodeURIComponent(SAMPLE_ORB), encodeURIComponent(orbId));
  return changed === body && orbId !== SAMPLE_ORB ? undefined : changed;
}
