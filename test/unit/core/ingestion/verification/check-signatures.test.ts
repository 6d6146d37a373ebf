import { expect } from 'chai';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { webhookPrimitives } from '../../../../../api-server/ingestion/webhook-primitives.ts';
import { GITHUB, SENDGRID, STANDARD_WEBHOOKS, STRIPE } from '../../../../../core/ingestion/vendors/schemes.ts';
import { standardWebhooksKey } from '../../../../../core/ingestion/verification/check-signatures.ts';
import type { HmacScheme, VerificationScheme } from '../../../../../core/ingestion/verification/scheme.ts';
import { verifyDelivery, type Verdict } from '../../../../../core/ingestion/verification/verify-delivery.ts';
import { encodeUtf8 } from '../../../../../core/json/bytes.ts';

const NOW = 1_795_168_800_000;
const SECONDS = String(NOW / 1000);
const BODY = '{"a":1}';
const KEY = Buffer.alloc(24, 7);
const WHSEC = `whsec_${KEY.toString('base64')}`;
const REJECTED: Verdict = { kind: 'rejected', reason: 'signature' };

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const verdictOf = (
  scheme: VerificationScheme,
  secret: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Verdict =>
  verifyDelivery(
    { scheme, secrets: [typeof secret === 'string' ? encodeUtf8(secret) : secret], toleranceSeconds: 300 },
    { headers: Object.entries(headers), body: encodeUtf8(BODY), pathToken: undefined },
    NOW,
    webhookPrimitives,
  );

const signed = (text: string): string => hmac('secret', text).toString('hex');
const ofLength = (prefix: string, length: number): Uint8Array =>
  encodeUtf8(prefix + Buffer.alloc(length, 1).toString('base64'));
const standardHeaders = (id: string, timestamp: string, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': signature,
});
const v1 = (text: string): string => `v1,${hmac(KEY, text).toString('base64')}`;
const ecdsaHeaders = (timestamp: string | undefined, signature: string) => ({
  ...(timestamp === undefined ? {} : { 'x-twilio-email-event-webhook-timestamp': timestamp }),
  'x-twilio-email-event-webhook-signature': signature,
});

describe('an HMAC over a template', () => {
  const WHOLE: HmacScheme = {
    kind: 'hmac',
    algorithm: 'sha256',
    signatureHeader: 'x-signature',
    prefix: '',
    separator: '',
    encoding: 'hex',
    signedContent: 'v0:{id}:{timestamp}:{body}',
    timestampHeader: 'x-time',
    idHeader: 'x-id',
  };
  it('covers id, timestamp and body', () => {
    const headers = { 'x-id': 'i1', 'x-time': SECONDS, 'x-signature': signed(`v0:i1:${SECONDS}:${BODY}`) };
    expect(verdictOf(WHOLE, 'secret', headers)).to.deep.equal({ kind: 'verified', secret: 0, id: 'i1' });
    for (const other of [{ 'x-id': 'i2' }, { 'x-time': String(NOW / 1000 + 1) }])
      expect(verdictOf(WHOLE, 'secret', { ...headers, ...other })).to.deep.equal(REJECTED);
  });

  it('matches nothing while a part that it covers is missing', () => {
    for (const [missing, text] of [
      ['x-id', `v0::${SECONDS}:${BODY}`],
      ['x-id', `v0:undefined:${SECONDS}:${BODY}`],
      ['x-time', `v0:i1::${BODY}`],
      ['x-time', `v0:i1:undefined:${BODY}`],
    ] as const) {
      const headers = { 'x-id': 'i1', 'x-time': SECONDS, 'x-signature': signed(text) };
      const left = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing));
      expect(verdictOf(WHOLE, 'secret', left), text).to.deep.equal(REJECTED);
    }
  });

  it('gives neither an id nor a timestamp that it does not cover', () => {
    const scheme = { ...WHOLE, signedContent: '{body}' };
    const headers = { 'x-id': 'i1', 'x-time': '1', 'x-signature': signed(BODY) };
    expect(verdictOf(scheme, 'secret', headers)).to.deep.equal({ kind: 'verified', secret: 0, id: undefined });
  });

  it('gives no id when the scheme names no header for it', () => {
    const { idHeader: _, ...scheme } = WHOLE;
    const headers = { 'x-time': SECONDS, 'x-signature': signed(`v0::${SECONDS}:${BODY}`) };
    expect(verdictOf(scheme, 'secret', headers)).to.deep.equal(REJECTED);
  });

  it('is refused when its digest has another length', () => {
    const whole = hmac('secret', BODY).toString('hex');
    for (const digest of [whole.slice(2), `${whole}00`, createHmac('sha1', 'secret').update(BODY).digest('hex')])
      expect(verdictOf(GITHUB, 'secret', { 'x-hub-signature-256': `sha256=${digest}` })).to.deep.equal(REJECTED);
  });

  it('tells a wrong time from a wrong signature, and takes only digits for a time', () => {
    for (const time of ['', '1e9', `${SECONDS}.0`, ` ${SECONDS}`, `+${SECONDS}`, '0'.repeat(3) + SECONDS]) {
      const signature = hmac('secret', `${time}.${BODY}`).toString('hex');
      expect(verdictOf(STRIPE, 'secret', { 'stripe-signature': `t=${time},v1=${signature}` }), time).to.deep.equal({
        kind: 'rejected',
        reason: 'timestamp',
      });
    }
  });
});

describe('a key of Standard Webhooks', () => {
  it('has 16 to 64 bytes when it is secret, and 32 when it is public', () => {
    for (const [prefix, lengths, version] of [
      ['whsec_', [15, 16, 64, 65], 'v1'],
      ['whpk_', [31, 32, 32, 33], 'v1a'],
    ] as const) {
      const versions = lengths.map((length) => standardWebhooksKey(ofLength(prefix, length))?.version);
      expect(versions).to.deep.equal([undefined, version, version, undefined]);
    }
  });

  it('is refused without its prefix, without base64 or without UTF-8', () => {
    const key = KEY.toString('base64');
    for (const text of [
      key,
      `whsec${key}`,
      `whsex_${key}`,
      `WHSEC_${key}`,
      `______${key}`,
      'whsec_***',
      'whsec_',
      'whpk_',
    ])
      expect(standardWebhooksKey(encodeUtf8(text)), text).to.equal(undefined);
    expect(standardWebhooksKey(Uint8Array.of(0xff, ...ofLength('whsec_', 24)))).to.equal(undefined);
  });
});

describe('a delivery of Standard Webhooks', () => {
  it('is refused with an id that is empty or has a full stop, also when it is signed', () => {
    const good = standardHeaders('msg_1', SECONDS, v1(`msg_1.${SECONDS}.${BODY}`));
    expect(verdictOf(STANDARD_WEBHOOKS, WHSEC, good)).to.include({ kind: 'verified', id: 'msg_1' });
    for (const id of ['', 'msg.1', '.'])
      expect(
        verdictOf(STANDARD_WEBHOOKS, WHSEC, standardHeaders(id, SECONDS, v1(`${id}.${SECONDS}.${BODY}`))),
      ).to.deep.equal(REJECTED);
  });

  it('is refused without an id, a timestamp or a signature, also when what is left is signed', () => {
    for (const [missing, text] of [
      ['webhook-id', `.${SECONDS}.${BODY}`],
      ['webhook-timestamp', `msg_1..${BODY}`],
      ['webhook-signature', ''],
    ] as const) {
      const headers = Object.entries(standardHeaders('msg_1', SECONDS, v1(text))).filter(([name]) => name !== missing);
      expect(verdictOf(STANDARD_WEBHOOKS, WHSEC, Object.fromEntries(headers)), missing).to.deep.equal(REJECTED);
    }
  });

  it('is refused when its signature says another version than the key has', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const text = `msg_1.${SECONDS}.${BODY}`;
    const byKey = sign(null, Buffer.from(text), privateKey).toString('base64');
    const verdict = (secret: string, signature: string): Verdict =>
      verdictOf(STANDARD_WEBHOOKS, secret, standardHeaders('msg_1', SECONDS, signature));
    const WHPK = `whpk_${raw.toString('base64')}`;
    expect(verdict(WHPK, `v1a,${byKey}`).kind).to.equal('verified');
    expect(verdict(WHPK, `v1,${byKey}`)).to.deep.equal(REJECTED);
    expect(verdict(WHSEC, v1(text).replace('v1,', 'v1a,'))).to.deep.equal(REJECTED);
    // A public key is known to everybody: an HMAC by it proves nothing.
    expect(verdict(WHPK, `v1,${hmac(raw, text).toString('base64')}`)).to.deep.equal(REJECTED);
    expect(verdict('not-a-key', v1(text))).to.deep.equal(REJECTED);
  });
});

describe('an ECDSA signature', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const over = (text: string): string => sign('sha256', Buffer.from(text), privateKey).toString('base64');
  const good = ecdsaHeaders(SECONDS, over(SECONDS + BODY));

  it('is verified by a key that is written as base64 or as PEM', () => {
    for (const secret of [spki, pem, spki.replace(/(.{40})/, '$1\n'), pem.replaceAll('\n', '\r\n')])
      expect(verdictOf(SENDGRID, secret, good)).to.include({ kind: 'verified' });
  });

  it('is refused without a timestamp, also when the body alone is signed', () => {
    expect(verdictOf(SENDGRID, spki, ecdsaHeaders(undefined, over(BODY)))).to.deep.equal(REJECTED);
    expect(verdictOf(SENDGRID, spki, { 'x-twilio-email-event-webhook-timestamp': SECONDS })).to.deep.equal(REJECTED);
  });

  it('is refused in a list of signatures', () => {
    const signature = over(SECONDS + BODY);
    for (const separator of [',', ' ', '~', ';'])
      expect(verdictOf(SENDGRID, spki, ecdsaHeaders(SECONDS, `${signature}${separator}${signature}`))).to.deep.equal(
        REJECTED,
      );
  });

  it('is refused by a key that can not be read', () => {
    for (const secret of ['x', 'AAAA', pem.slice(0, 40), Uint8Array.of(0xff, 0xfe)])
      expect(verdictOf(SENDGRID, secret, good)).to.deep.equal(REJECTED);
  });
});
