import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { ApiKeyError, findingsText, makeApiKey, type NewApiKey } from '../../../../adapters/api-keys/new-key.ts';
import { parseApiKeyRecord } from '../../../../core/api-key/record.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;
const KEY: NewApiKey = { tenants: ['acme'], scopes: ['orbs:execute'], createdBy: 'cli' };
const make = (some: Partial<NewApiKey> = {}) =>
  makeApiKey({ ...KEY, ...some }, 'orb-system', { now: NOW, random: (size) => randomBytes(size) });

describe('makeApiKey', () => {
  it('makes a key that is valid from now on, for 90 days unless something else is asked for', () => {
    const { record } = make();
    expect([record.notBefore, record.expiresAt]).to.deep.equal([NOW, NOW + 90 * DAY]);
    for (const lifeMs of [1, 1000, 365 * DAY]) expect(make({ lifeMs }).record.expiresAt).to.equal(NOW + lifeMs);
  });

  for (const lifeMs of [0, -1, Number.NaN, 365 * DAY + 1, Number.POSITIVE_INFINITY])
    it(`makes none that lives for ${lifeMs} ms`, () => {
      expect(() => make({ lifeMs })).to.throw(ApiKeyError, 'A key lives for at most 365 days.');
    });

  it('makes none that could not be read back, and says why without a value', () => {
    expect(() => make({ tenants: [] })).to.throw(ApiKeyError, '/stringData/tenants: Name at least one namespace.');
    expect(() => make({ tenants: ['Acme'], createdBy: '' })).to.throw(
      ApiKeyError,
      /tenants: .* \/stringData\/created_by: /,
    );
    expect(findingsText([])).to.equal('');
  });

  it('stores the hash of the key in a Secret of its own type, and not the key', () => {
    const { text, record, document } = make();
    expect(document).to.deep.include({ apiVersion: 'v1', kind: 'Secret', type: 'orbs.dev/api-key' });
    expect(JSON.stringify(document)).not.to.include(text.slice(13, 45));
    expect(parseApiKeyRecord(document)).to.deep.equal({ ok: true, value: record, findings: [] });
  });
});
