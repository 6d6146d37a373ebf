import { expect } from 'chai';
import fc from 'fast-check';
import { generateKeyPairSync, sign } from 'node:crypto';
import {
  BASIC,
  BEARER,
  GITHUB,
  MD5_TOKEN,
  ORB_TOKEN,
  SENDGRID,
  STANDARD_WEBHOOKS,
  URL_TOKEN,
} from '../../../../../core/ingestion/vendors/schemes.ts';
import { trustOf } from '../../../../../core/ingestion/verification/scheme.ts';
import {
  secretProblem,
  verifyDelivery,
  type Verdict,
} from '../../../../../core/ingestion/verification/verify-delivery.ts';
import { encodeUtf8 } from '../../../../../core/json/bytes.ts';
import { webhookPrimitives } from '../../../../../api-server/ingestion/webhook-primitives.ts';
import { sampleBody } from '../samples.ts';
import { asBase64, flipped, hasTimestamp, NEGATIVES, otherSecret, withSignature } from './negatives.ts';
import { sample, SECONDS, SIGNED, standardHeaders, type Case, type Headers } from './signed-cases.ts';

const verdictOf = ({ scheme, secrets, headers, body, now, pathToken }: Case): Verdict =>
  verifyDelivery(
    { scheme, secrets: secrets.map(encodeUtf8), toleranceSeconds: 300 },
    { headers, body: encodeUtf8(body), pathToken },
    now,
    webhookPrimitives,
  );

const REJECTED: Verdict = { kind: 'rejected', reason: 'signature' };
const authorization = (value: string): Headers => [['Authorization', value]];

describe('verification of deliveries', () => {
  for (const [name, delivery] of SIGNED) {
    it(`accepts ${name}`, () => {
      expect(verdictOf(delivery)).to.include({ kind: 'verified', secret: 0 });
    });

    for (const [why, change] of NEGATIVES)
      it(`refuses ${name} with ${why}`, () => {
        expect(verdictOf(change(delivery))).to.deep.equal(REJECTED);
      });

    it(`accepts ${name} by its second secret, also with a newline at its end`, () => {
      const rotated = { ...delivery, secrets: [otherSecret(delivery), `${delivery.secrets[0]}\n`] };
      expect(verdictOf(rotated)).to.include({ kind: 'verified', secret: 1 });
    });
  }

  for (const [name, delivery] of SIGNED.filter(([, { scheme }]) => scheme.kind === 'hmac'))
    it(`refuses ${name} in base64 in place of hexadecimal`, () => {
      expect(verdictOf(withSignature(delivery, asBase64))).to.deep.equal(REJECTED);
    });

  for (const [name, delivery] of SIGNED.filter(([, found]) => hasTimestamp(found)))
    for (const [why, seconds, kind] of [
      ['300 s old', 300, 'verified'],
      ['301 s old', 301, 'rejected'],
      ['300 s ahead', -300, 'verified'],
      ['301 s ahead', -301, 'rejected'],
    ] as const)
      it(`answers ${kind} for ${name} when it is ${why}`, () => {
        expect(verdictOf({ ...delivery, now: delivery.now + seconds * 1000 }).kind).to.equal(kind);
      });

  it('takes the id of Standard Webhooks, because it is signed', () => {
    const [, delivery] = SIGNED.find(([name]) => name === 'Standard Webhooks') ?? [];
    expect(delivery && verdictOf(delivery)).to.include({ id: 'msg_2mU7Zt3kQd1yRz' });
  });

  it('takes the second signature of PagerDuty by the second secret', () => {
    const [, delivery] = SIGNED.find(([name]) => name === 'PagerDuty') ?? [];
    expect(delivery && verdictOf({ ...delivery, secrets: ['pagerduty-secret-0002'] })).to.include({ secret: 0 });
  });

  it('verifies Ed25519 signatures of Standard Webhooks by a public key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const body = sampleBody('standardWebhooks');
    const signature = sign(null, Buffer.from(`msg_1.${SECONDS}.${body}`), privateKey).toString('base64');
    const delivery = {
      scheme: STANDARD_WEBHOOKS,
      secrets: [`whpk_${raw.toString('base64')}`],
      headers: standardHeaders('msg_1', SECONDS, `v2,eA== v1a,${signature}`),
      ...sample('standardWebhooks'),
    };
    expect(verdictOf(delivery)).to.include({ kind: 'verified', id: 'msg_1' });
    expect(verdictOf({ ...delivery, body: flipped(body) })).to.deep.equal(REJECTED);
  });

  const token = 'B7sx0q6GvBCDEFa1234567';
  const TOKENS: readonly [name: string, delivery: Case, wrong: readonly Case[]][] = [
    [
      'bearer',
      {
        scheme: BEARER,
        secrets: ['am-token-0001'],
        headers: authorization('Bearer am-token-0001'),
        ...sample('alertmanager'),
      },
      [],
    ],
    [
      'basic',
      {
        scheme: BASIC,
        secrets: ['orb:secret'],
        headers: authorization(`Basic ${Buffer.from('orb:secret').toString('base64')}`),
        ...sample('alertmanager'),
      },
      [],
    ],
    [
      'header',
      {
        scheme: ORB_TOKEN,
        secrets: ['dd-token-0001'],
        headers: [['X-Orb-Token', 'dd-token-0001']],
        ...sample('datadog'),
      },
      [],
    ],
    [
      'md5Token',
      { scheme: MD5_TOKEN, secrets: ['acmestatuscake-api-key-0001'], headers: [], ...sample('statuscake') },
      [{ scheme: MD5_TOKEN, secrets: ['acmestatuscake-api-key-0001'], headers: [], body: 'Token=zz&%E0', now: 0 }],
    ],
    [
      'urlToken',
      { scheme: URL_TOKEN, secrets: [token], headers: [], pathToken: token, ...sample('pingdom') },
      [{ scheme: URL_TOKEN, secrets: ['short'], headers: [], pathToken: 'short', ...sample('pingdom') }],
    ],
  ];
  for (const [name, delivery, wrong] of TOKENS)
    it(`accepts ${name} by any secret and refuses all other values`, () => {
      expect(verdictOf(delivery)).to.include({ kind: 'verified', secret: 0 });
      expect(verdictOf({ ...delivery, secrets: ['another', ...delivery.secrets] })).to.include({ secret: 1 });
      const others = [
        { ...delivery, secrets: ['another'] },
        {
          ...delivery,
          headers: [...delivery.headers, ['authorization', 'x'], ['x-orb-token', 'x']],
          body: 'Token=',
          pathToken: 'x',
        } as const,
        { ...delivery, headers: [], body: '', pathToken: '' },
        ...wrong,
      ];
      for (const other of others) expect(verdictOf(other)).to.deep.equal(REJECTED);
    });

  it('never accepts a signature header of any text, and never throws', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('v', '1', '=', ',', 'a', '0', ' ', 't') }));
    const cases = SIGNED.map(([, delivery]) => delivery);
    fc.assert(
      fc.property(fc.constantFrom(...cases), text, (delivery, header) => {
        expect(verdictOf(withSignature(delivery, () => header)).kind).to.equal('rejected');
      }),
    );
  });

  it('names secrets that can never match', () => {
    expect(secretProblem(GITHUB, encodeUtf8('\r\n'))).to.equal('empty');
    expect(secretProblem(STANDARD_WEBHOOKS, encodeUtf8('whsec_c2hvcnQ='))).to.equal('malformed');
    expect(secretProblem(STANDARD_WEBHOOKS, encodeUtf8('whsec_plJ3nmyCDGBKInavdOK15jsl\n'))).to.equal(undefined);
  });

  it('trusts what is signed more than a shared secret, and an address least', () => {
    expect([GITHUB, SENDGRID, STANDARD_WEBHOOKS].map(trustOf)).to.deep.equal(['signed', 'signed', 'signed']);
    expect([BEARER, BASIC, ORB_TOKEN, MD5_TOKEN].map(trustOf)).to.deep.equal(Array(4).fill('shared_secret'));
    expect(trustOf(URL_TOKEN)).to.equal('low');
  });
});
