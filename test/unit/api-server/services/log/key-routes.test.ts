import { createLocalJWKSet, compactVerify, type JSONWebKeySet } from 'jose';
import { expect } from 'chai';
import { keyRoutes } from '../../../../../api-server/services/log/key-routes.ts';
import vectors from '../../../../vectors/receipt.json' with { type: 'json' };
import { startApp, TEST_NOW } from '../../../../support/api-app.ts';
import { vectorKeys } from '../../../../support/vector-receipts.ts';

const DAY_MS = 86_400_000;
const DOCUMENT = vectors.keys.document;
const kids = (role: string, ...statuses: readonly string[]): readonly string[] =>
  DOCUMENT.keys.filter((key) => key.role === role && statuses.includes(key.status)).map(({ kid }) => kid);

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys);

async function keySet(now: number): Promise<JSONWebKeySet> {
  const app = await startApp(keyRoutes({ ...vectorKeys, clock: { now: () => now } }));
  const answer = await app.call('GET', '/.well-known/jwks.json', { key: null });
  await app.close();
  expect(answer.headers.get('cache-control')).to.equal('public, max-age=300');
  if (!isKeySet(answer.value)) throw new Error('no key set');
  return answer.value;
}

describe('keyRoutes', () => {
  it('shows active, next and recently retired signing keys, and neither revoked, log nor root keys', async () => {
    const { keys } = await keySet(TEST_NOW);
    const expected = [...kids('receipt', 'active', 'next', 'retired'), ...kids('certificate', 'active')];
    expect(keys.map(({ kid }) => kid)).to.have.members(expected);
  });

  it('drops a key 30 days after its end', async () => {
    const end = Date.parse('2026-11-02T00:00:00.000Z');
    const [retired] = kids('receipt', 'retired');
    expect((await keySet(end + 30 * DAY_MS)).keys.map(({ kid }) => kid)).to.include(retired);
    expect((await keySet(end + 30 * DAY_MS + 1)).keys.map(({ kid }) => kid)).to.not.include(retired);
  });

  it('is a key set with which another library verifies a receipt', async () => {
    const jws = vectors.bundle_cases[0]?.input.bundle.jws ?? '';
    const { protectedHeader } = await compactVerify(jws, createLocalJWKSet(await keySet(TEST_NOW)));
    expect(protectedHeader.kid).to.equal(vectors.keys.receipt_active.kid);
  });

  it('serves the keys document as the root signed it', async () => {
    const app = await startApp(keyRoutes({ ...vectorKeys, clock: { now: () => TEST_NOW } }));
    const answer = await app.call('GET', '/.well-known/orb-keys.json', { key: null });
    expect(answer.value).to.deep.equal({ jws: vectors.keys.document_jws });
    await app.close();
  });
});
