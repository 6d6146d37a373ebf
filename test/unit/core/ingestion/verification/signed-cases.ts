import { createHmac } from 'node:crypto';
import {
  GITHUB,
  GRAFANA,
  grafanaWithTimestamp,
  PAGERDUTY,
  SEGMENT,
  SENDGRID,
  SENTRY,
  SLACK,
  STANDARD_WEBHOOKS,
  STRIPE,
} from '../../../../../core/ingestion/vendors/schemes.ts';
import type { VerificationScheme } from '../../../../../core/ingestion/verification/scheme.ts';
import { SAMPLE_TIME, sampleBody } from '../samples.ts';

export type Headers = readonly (readonly [string, string])[];

export interface Case {
  readonly scheme: VerificationScheme;
  readonly secrets: readonly string[];
  readonly headers: Headers;
  readonly body: string;
  readonly now: number;
  readonly pathToken?: string;
}

export const SECONDS = String(SAMPLE_TIME / 1000);
const at = (now: number): Pick<Case, 'now'> => ({ now });
export const sample = (type: string): Pick<Case, 'body' | 'now'> => ({ body: sampleBody(type), now: SAMPLE_TIME });

const SENDGRID_KEY =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==';
const SENDGRID_BODY =
  '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n';
const SLACK_BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
export const standardHeaders = (id: string, timestamp: string, signature: string): Headers => [
  ['webhook-id', id],
  ['webhook-timestamp', timestamp],
  ['webhook-signature', signature],
];
const stripeBody = '{"type":"charge.failed"}';
const stripeSignature = createHmac('sha256', 'whsec_stripe').update(`${SECONDS}.${stripeBody}`).digest('hex');

/** Signed deliveries: the vendors' published cases, then the samples. */
export const SIGNED: readonly [name: string, delivery: Case][] = [
  [
    'Svix libraries',
    {
      scheme: STANDARD_WEBHOOKS,
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      headers: standardHeaders(
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        '1614265330',
        'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      ),
      body: '{"test": 2432232314}',
      ...at(1_614_265_330_000),
    },
  ],
  [
    'Svix documentation',
    {
      scheme: STANDARD_WEBHOOKS,
      secrets: ['whsec_plJ3nmyCDGBKInavdOK15jsl'],
      headers: standardHeaders('msg_loFOjxBNrRLzqYUf', '1731705121', 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0='),
      body: '{"event_type":"ping","data":{"success":true}}',
      ...at(1_731_705_121_000),
    },
  ],
  [
    'GitHub documentation',
    {
      scheme: GITHUB,
      secrets: ["It's a Secret to Everybody"],
      headers: [['X-Hub-Signature-256', 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17']],
      body: 'Hello, World!',
      ...at(SAMPLE_TIME),
    },
  ],
  [
    'Slack documentation',
    {
      scheme: SLACK,
      secrets: ['8f742231b10e8888abcd99yyyzzz85a5'],
      headers: [
        ['X-Slack-Request-Timestamp', '1531420618'],
        ['X-Slack-Signature', 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'],
      ],
      body: SLACK_BODY,
      ...at(1_531_420_618_000),
    },
  ],
  [
    'SendGrid libraries',
    {
      scheme: SENDGRID,
      secrets: [SENDGRID_KEY],
      headers: [
        ['X-Twilio-Email-Event-Webhook-Timestamp', '1600112502'],
        [
          'X-Twilio-Email-Event-Webhook-Signature',
          'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
        ],
      ],
      body: SENDGRID_BODY,
      ...at(1_600_112_502_000),
    },
  ],
  [
    'Stripe',
    {
      scheme: STRIPE,
      secrets: ['whsec_stripe'],
      headers: [['Stripe-Signature', `t=${SECONDS},v1=${stripeSignature},v0=6ffbb59b`]],
      body: stripeBody,
      ...at(SAMPLE_TIME),
    },
  ],
  [
    'Grafana',
    {
      scheme: GRAFANA,
      secrets: ['grafana-secret-0001'],
      headers: [['X-Grafana-Alerting-Signature', '44fb2b8f846035f127ee0f123f29f70c849d7825436efd7232db857aed2864fa']],
      ...sample('grafana'),
    },
  ],
  [
    'Grafana with a timestamp',
    {
      scheme: grafanaWithTimestamp('X-Orb-Timestamp'),
      secrets: ['grafana-secret-0001'],
      headers: [
        ['X-Orb-Timestamp', SECONDS],
        ['X-Grafana-Alerting-Signature', 'f1744069d7702e07f3e031ea48cd0deb297750c6d7460189d629ea071422aad1'],
      ],
      ...sample('grafana'),
    },
  ],
  [
    'PagerDuty',
    {
      scheme: PAGERDUTY,
      secrets: ['pagerduty-secret-0001'],
      headers: [
        [
          'X-PagerDuty-Signature',
          'v1=f9cfe348b0262e2a1a0adb8c47797f8c7d99244716eeb8cc6efedd9b7411f3d2,v1=24aed845b257454c1622e47ed82d357ab0c936ca3ebf9221a8f53c1acf6a74b6',
        ],
      ],
      ...sample('pagerduty'),
    },
  ],
  [
    'Sentry',
    {
      scheme: SENTRY,
      secrets: ['sentry-client-secret-0001'],
      headers: [['Sentry-Hook-Signature', 'ef6d1d1b6212f0171a09455c674487ce0fad6891c632b78b96a2742834bf03b3']],
      ...sample('sentry'),
    },
  ],
  [
    'Segment',
    {
      scheme: SEGMENT,
      secrets: ['segment-shared-secret-0001'],
      headers: [['X-Signature', 'a28713d331f88475fb81fbb60505acfdf361a606']],
      ...sample('segment'),
    },
  ],
  [
    'Standard Webhooks',
    {
      scheme: STANDARD_WEBHOOKS,
      secrets: ['whsec_b3JiLXN0YW5kYXJkLXdlYmhvb2tzLXNlY3JldC0zMmI='],
      headers: standardHeaders('msg_2mU7Zt3kQd1yRz', SECONDS, 'v1,iGL/AfQicVi4vGofFOKyLVpzvedBothB2sB2d7Gq3dU='),
      ...sample('standardWebhooks'),
    },
  ],
];
