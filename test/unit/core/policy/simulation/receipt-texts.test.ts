import { hash } from 'node:crypto';
import { expect } from 'chai';
import { compactJws, jwsDigest } from '../../../../../core/policy/simulation/receipt-texts.ts';

describe('texts of a stored receipt', () => {
  const payloads: readonly (readonly [string, string])[] = [
    ['an empty payload', ''],
    ['one that ends inside a group of base64url', '{"a":1}'],
    ['one that fills its last group', '{"a":12}x'],
    ['letters of several bytes', '{"a":"é€😀"}'],
    ['one beyond the prepared memory', `{"a":"${'é'.repeat(20_000)}"}`],
    ['a long one inside it', `{"a":"${'€'.repeat(4000)}"}`],
  ];
  for (const [what, payload] of payloads)
    it(`have the digest of the compact JWS: ${what}`, () => {
      const receipt = { header: 'eyJhbGciOiJFZERTQSJ9', payload, signature: 'c2ln' };
      const jws = `eyJhbGciOiJFZERTQSJ9.${Buffer.from(payload, 'utf8').toString('base64url')}.c2ln`;
      expect([compactJws(receipt), jwsDigest(receipt)]).to.deep.equal([jws, hash('sha256', jws, 'hex')]);
    });
});
