import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { webhookPrimitives } from '../../../../../api-server/ingestion/webhook-primitives.ts';
import { BEARER, MD5_TOKEN, URL_TOKEN } from '../../../../../core/ingestion/vendors/schemes.ts';
import { isUrlToken } from '../../../../../core/ingestion/verification/check-tokens.ts';
import type { Delivery } from '../../../../../core/ingestion/verification/delivery.ts';
import type { VerificationScheme } from '../../../../../core/ingestion/verification/scheme.ts';
import { verifyDelivery } from '../../../../../core/ingestion/verification/verify-delivery.ts';
import { encodeUtf8 } from '../../../../../core/json/bytes.ts';

const EMPTY: Delivery = { headers: [], body: new Uint8Array(), pathToken: undefined };
const verdictOf = (scheme: VerificationScheme, secrets: readonly string[], delivery: Partial<Delivery>) =>
  verifyDelivery(
    { scheme, secrets: secrets.map(encodeUtf8), toleranceSeconds: 300 },
    { ...EMPTY, ...delivery },
    0,
    webhookPrimitives,
  );

describe('a shared secret', () => {
  it('keeps its position behind an empty one, so that its use is counted for the right Secret', () => {
    const headers: Delivery['headers'] = [['authorization', 'Bearer b']];
    expect(verdictOf(BEARER, ['\n', 'a', 'b'], { headers })).to.include({ kind: 'verified', secret: 2 });
    expect(verdictOf(BEARER, ['', 'a'], { headers: [['authorization', 'Bearer ']] }).kind).to.equal('rejected');
  });

  it('is not read from a body that is no UTF-8', () => {
    const token = createHash('md5').update('key').digest('hex');
    const body = encodeUtf8(`Token=${token}&a=1`);
    expect(verdictOf(MD5_TOKEN, ['key'], { body }).kind).to.equal('verified');
    expect(verdictOf(MD5_TOKEN, ['key'], { body: Uint8Array.of(...body, 0xff) }).kind).to.equal('rejected');
  });

  it('is not read from a form whose token is no hexadecimal digest', () => {
    for (const token of ['key', '', 'zz'])
      expect(verdictOf(MD5_TOKEN, ['key'], { body: encodeUtf8(`Token=${token}`) }).kind).to.equal('rejected');
  });

  it('is no token of a path with fewer than 22 or more than 256 characters, or with others than letters and digits', () => {
    const lengths = [21, 22, 256, 257].map((length) => isUrlToken('a'.repeat(length)));
    expect(lengths).to.deep.equal([false, true, true, false]);
    for (const token of [`${'a'.repeat(22)}-`, `${'a'.repeat(22)}\n`, `é${'a'.repeat(22)}`])
      expect(verdictOf(URL_TOKEN, [token], { pathToken: token }).kind, token).to.equal('rejected');
  });
});
