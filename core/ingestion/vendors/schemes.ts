import type { EcdsaScheme, HmacScheme, VerificationScheme } from '../verification/scheme.ts';

const BODY = '{body}';
const hmac = (signatureHeader: string, form: Partial<HmacScheme> = {}): HmacScheme => ({
  kind: 'hmac',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  separator: '',
  signedContent: BODY,
  signatureHeader,
  ...form,
});

/** HMAC-SHA-256 in hexadecimal over the body. */
export const GRAFANA = hmac('X-Grafana-Alerting-Signature');

/** Grafana signs its timestamp as well when its contact point names a header for it. */
export const grafanaWithTimestamp = (timestampHeader: string): HmacScheme => ({
  ...GRAFANA,
  timestampHeader,
  signedContent: '{timestamp}:{body}',
});

/** Two signatures while PagerDuty rotates. */
export const PAGERDUTY = hmac('X-PagerDuty-Signature', { prefix: 'v1=', separator: ',' });
export const SENTRY = hmac('Sentry-Hook-Signature');
export const SEGMENT = hmac('X-Signature', { algorithm: 'sha1' });
export const STANDARD_WEBHOOKS: VerificationScheme = { kind: 'standardWebhooks' };
/** Header of a token that our templates name. */
export const TOKEN_HEADER = 'X-Orb-Token';
export const ORB_TOKEN: VerificationScheme = { kind: 'header', header: TOKEN_HEADER };
export const BEARER: VerificationScheme = { kind: 'bearer' };
export const BASIC: VerificationScheme = { kind: 'basic' };
export const MD5_TOKEN: VerificationScheme = { kind: 'md5Token' };
export const URL_TOKEN: VerificationScheme = { kind: 'urlToken' };

/** `sha256=` and the HMAC of the body. */
export const GITHUB = hmac('X-Hub-Signature-256', { prefix: 'sha256=' });
export const SLACK = hmac('X-Slack-Signature', {
  prefix: 'v0=',
  signedContent: 'v0:{timestamp}:{body}',
  timestampHeader: 'X-Slack-Request-Timestamp',
});
/** Timestamp and signatures stand in one header: `t=1795168800,v1=<hex>`. */
export const STRIPE = hmac('Stripe-Signature', {
  signedContent: '{timestamp}.{body}',
  pairs: { timestamp: 't', signature: 'v1' },
});
export const SENDGRID: EcdsaScheme = {
  kind: 'ecdsa',
  signatureHeader: 'X-Twilio-Email-Event-Webhook-Signature',
  timestampHeader: 'X-Twilio-Email-Event-Webhook-Timestamp',
};
