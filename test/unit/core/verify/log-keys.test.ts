import { publishedKey } from '../../../../hack/vectors/published-key.ts';
import { expect } from 'chai';
import type { KeysDocument } from '../../../../core/receipt/keys-document.ts';
import { allLogKeys } from '../../../../core/verify/inclusion.ts';
import { keys } from './a-world.ts';

describe('allLogKeys', () => {
  it('has retired and revoked keys of the log, and no other key', () => {
    const document: KeysDocument = {
      schema: 'https://orbs.example/schemas/keys/v1',
      issuer: 'https://orbs.example',
      log_origin: 'orbs.example/log',
      sequence: 3,
      issued_at: '2026-11-01T00:00:00.000Z',
      keys: [
        publishedKey(keys.receipt, 'receipt'),
        { ...publishedKey(keys.log, 'log'), status: 'revoked' },
        { ...publishedKey(keys.root, 'log'), status: 'retired' },
        publishedKey(keys.stranger, 'log'),
      ],
    };
    const held = [keys.log, keys.root, keys.stranger];
    expect(allLogKeys(document)).to.deep.equal(held.map(({ publicKey }) => publicKey));
  });
});
