import { expect } from 'chai';
import fc from 'fast-check';
import { webhookPrimitives } from '../../../../../api-server/ingestion/webhook-primitives.ts';
import {
  BASIC,
  BEARER,
  GRAFANA,
  MD5_TOKEN,
  ORB_TOKEN,
  SENDGRID,
  STRIPE,
  URL_TOKEN,
} from '../../../../../core/ingestion/vendors/schemes.ts';
import {
  freshSample,
  isSampleName,
  sampleAbout,
  SAMPLE_TIME,
  SAMPLES,
} from '../../../../../core/ingestion/vendors/samples.ts';
import type { VendorTemplate } from '../../../../../core/ingestion/vendors/template.ts';
import { CUSTOM_BLOCKS, VENDORS } from '../../../../../core/ingestion/vendors/vendors.ts';
import { compileMapping, mapPayload } from '../../../../../core/ingestion/mapping/map-payload.ts';
import { readPayload } from '../../../../../core/ingestion/mapping/read-payload.ts';
import type { VerificationScheme } from '../../../../../core/ingestion/verification/scheme.ts';
import { signDelivery, type SignedDelivery } from '../../../../../core/ingestion/verification/sign-delivery.ts';
import { verifyDelivery } from '../../../../../core/ingestion/verification/verify-delivery.ts';
import { encodeUtf8 } from '../../../../../core/json/bytes.ts';
import { sha256Hex } from '../../../../../adapters/keys/primitives.ts';

const TEMPLATES: Readonly<Record<string, VendorTemplate>> = { ...VENDORS, ...CUSTOM_BLOCKS };
const WHSEC = 'whsec_b3JiLXN0YW5kYXJkLXdlYmhvb2tzLXNlY3JldC0zMmI=';
const NOW = SAMPLE_TIME + 40 * 86_400_000 + 123;
const ID = 'ABCDEFGHJKMNPQRSTVWXYZ0123';
const SHIFTED = { now: NOW, id: ID };

const secretFor = ({ kind }: VerificationScheme): string => {
  if (kind === 'standardWebhooks') return WHSEC;
  return kind === 'urlToken' ? 'B7sx0q6GvBCDEFa1234567' : 'acme:a-secret-0001';
};

const verdictOf = (scheme: VerificationScheme, secret: string, { headers, body, pathToken }: SignedDelivery) =>
  verifyDelivery(
    { scheme, secrets: [encodeUtf8(secret)], toleranceSeconds: 30 },
    { headers: Object.entries(headers), body: encodeUtf8(body), pathToken },
    NOW,
    webhookPrimitives,
  ).kind;

const unsigned = (body: string, secret: string) => ({ body, secret: encodeUtf8(secret), ...SHIFTED });

describe('signing what a vendor would send', () => {
  for (const name of Object.keys(SAMPLES).filter(isSampleName)) {
    const template = TEMPLATES[name] ?? VENDORS.grafana;
    const { scheme } = template;
    it(`gives a sample of ${name} that its source accepts, and refuses with another secret`, () => {
      const secret = secretFor(scheme);
      const result = signDelivery(scheme, unsigned(freshSample(name, SHIFTED), secret), webhookPrimitives);
      if (!result.ok) throw new Error(result.fault);
      expect(verdictOf(scheme, secret, result.delivery)).to.equal('verified');
      expect(verdictOf(scheme, `${secret}0`, result.delivery)).to.equal('rejected');
    });

    it(`gives a sample of ${name} that its mapping understands`, () => {
      const compiled = compileMapping(template.mapping);
      const read = readPayload(encodeUtf8(freshSample(name, SHIFTED)), template.parser);
      if (!compiled.ok || !read.ok) throw new Error('it can not be read');
      const input = { payload: read.payload, headers: {}, bodyDigest: 'b', digest: sha256Hex, most: 500 };
      const mapped = mapPayload(compiled.mapping, input);
      expect(mapped.ok && mapped.events.length).to.equal(1);
      const [event] = mapped.ok ? mapped.events : [];
      const times = [event?.startsAt, event?.endsAt, event?.occurredAt].filter((time) => typeof time === 'number');
      const newest = Math.floor(NOW / 1000) * 1000;
      expect(times.every((time) => time <= newest && time > newest - 3_600_000)).to.equal(true);
    });
  }

  it('proves any body by any secret, and no other body', () => {
    const schemes = Object.values(TEMPLATES)
      .map(({ scheme }) => scheme)
      .filter(({ kind }) => kind === 'hmac');
    const text = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(fc.constantFrom(...schemes), text, text, (scheme, body, secret) => {
        fc.pre(secret.trim() !== '');
        const result = signDelivery(scheme, unsigned(body, secret), webhookPrimitives);
        if (!result.ok) throw new Error(result.fault);
        expect(verdictOf(scheme, secret, result.delivery)).to.equal('verified');
        const other = { ...result.delivery, body: `${body} ` };
        expect(verdictOf(scheme, secret, other)).to.equal('rejected');
      }),
    );
  });

  it('ignores one newline at the end of the secret, as a source does', () => {
    const result = signDelivery(GRAFANA, unsigned('{}', 'a-secret\n'), webhookPrimitives);
    expect(result.ok && verdictOf(GRAFANA, 'a-secret', result.delivery)).to.equal('verified');
  });

  const faults: readonly (readonly [why: string, scheme: VerificationScheme, secret: string, says: RegExp])[] = [
    ['an empty secret', GRAFANA, '\n', /the secret is empty/],
    ['a token of a path that is too short', URL_TOKEN, 'short', /22 to 256 letters and digits/],
    ['a secret that is none of Standard Webhooks', { kind: 'standardWebhooks' }, 'hunter2', /whsec_/],
    ['a public key of Standard Webhooks', { kind: 'standardWebhooks' }, `whpk_${'A'.repeat(43)}=`, /whsec_/],
    ['a secret with a line break in a header', ORB_TOKEN, 'one\ntwo', /can not stand in a header/],
    ['a secret with a line break after Bearer', BEARER, 'one\r\ntwo', /can not stand in a header/],
    ["SendGrid's scheme, whose key only SendGrid has", SENDGRID, 'x', /only the vendor has the key/],
  ];
  for (const [why, scheme, secret, says] of faults)
    it(`refuses ${why}, and does not show it`, () => {
      const result = signDelivery(scheme, unsigned('{}', secret), webhookPrimitives);
      const text = result.ok ? '' : result.fault;
      expect(text).to.match(says);
      expect(secret.trim() !== '' && secret.length > 3 && text.includes(secret)).to.equal(false);
    });

  for (const [name, scheme] of [
    ['bearer', BEARER],
    ['a header', ORB_TOKEN],
    ['a token of a path', URL_TOKEN],
  ] as const)
    it(`refuses a secret that is no UTF-8 for ${name}`, () => {
      const secret = Uint8Array.of(0xff, ...encodeUtf8('B7sx0q6GvBCDEFa1234567'));
      const result = signDelivery(scheme, { body: '{}', secret, ...SHIFTED }, webhookPrimitives);
      expect(result.ok).to.equal(false);
    });

  it('gives any visible text behind Bearer', () => {
    for (const secret of ['~', 'a', 'a b']) {
      const result = signDelivery(BEARER, unsigned('{}', secret), webhookPrimitives);
      expect(result.ok && verdictOf(BEARER, secret, result.delivery), secret).to.equal('verified');
    }
  });

  it('signs the id and the time where a scheme has headers for them', () => {
    const scheme = {
      ...GRAFANA,
      signedContent: '{id}.{timestamp}.{body}',
      timestampHeader: 'x-time',
      idHeader: 'x-id',
    };
    const result = signDelivery(scheme, unsigned('{}', 'secret'), webhookPrimitives);
    if (!result.ok) throw new Error(result.fault);
    expect(result.delivery.headers).to.include({ 'x-id': ID, 'x-time': String(Math.floor(NOW / 1000)) });
    expect(verdictOf(scheme, 'secret', result.delivery)).to.equal('verified');
  });

  it('adds the token of a form that has none', () => {
    const result = signDelivery(MD5_TOKEN, unsigned('Status=Down', 'secret'), webhookPrimitives);
    if (!result.ok) throw new Error(result.fault);
    expect(result.delivery.body).to.match(/&Status=Down$/);
    expect(verdictOf(MD5_TOKEN, 'secret', result.delivery)).to.equal('verified');
  });

  it('writes time and signature of Stripe into one header', () => {
    const result = signDelivery(STRIPE, unsigned('{}', 'secret'), webhookPrimitives);
    expect(result.ok && verdictOf(STRIPE, 'secret', result.delivery)).to.equal('verified');
  });

  it('takes any bytes for basic', () => {
    const result = signDelivery(BASIC, unsigned('{}', 'acme:é\nx'), webhookPrimitives);
    expect(result.ok && verdictOf(BASIC, 'acme:é\nx', result.delivery)).to.equal('verified');
  });
});

describe('a sample of now', () => {
  it('moves every time by the same, so that the newest is now', () => {
    const body = freshSample('grafana', SHIFTED);
    expect(body).to.include('"startsAt":"2026-12-30T09:48:00Z"').and.to.include('"endsAt":"2026-12-30T10:00:00Z"');
    expect(freshSample('newrelic', SHIFTED)).to.include('"created_ms":1798624740000,"updated_ms":1798624800000');
    expect(freshSample('alertmanager', SHIFTED)).to.include('"endsAt":"0001-01-01T00:00:00Z"');
  });

  it('has another signed id than before', () => {
    expect(freshSample('pagerduty', SHIFTED)).to.include(`"id":"${ID}"`);
  });

  it('is about the Orb that one names, also in a form', () => {
    expect(sampleAbout(SAMPLES.statuscake, 'a.b@2.0.0')).to.include('Tags=orb_id%3Aa.b%402.0.0');
    expect(sampleAbout(SAMPLES.datadog, 'a.b@2.0.0')).not.to.include('acme.mailer');
    expect(sampleAbout(SAMPLES.pagerduty, 'a.b@2.0.0')).to.equal(undefined);
  });
});
