import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { nodeEncoding } from '../../../../adapters/keys/primitives.ts';
import { SelfCheck } from '../../../../api-server/runtime/self-check.ts';
import { signJws } from '../../../../core/receipt/jws.ts';
import { receiptKey } from '../../../support/a-runtime.ts';

const jws = signJws('{"a":1}', 'orb-receipt+jws', receiptKey.signer, nodeEncoding);
const other = generateKeyPairSync('ed25519').publicKey;

describe('SelfCheck (trust.md §1.5)', () => {
  it('is good for what the published key signed', async () => {
    const check = new SelfCheck(receiptKey.publicKey, 1);
    expect([await check.check(jws), check.failed]).to.deep.equal([true, false]);
  });

  const bad: readonly [string, string][] = [
    ['a changed payload', jws.replace('.eyJhIjox', '.eyJhIjoy')],
    ['a cut signature', jws.slice(0, -4)],
    ['no signature', jws.slice(0, jws.lastIndexOf('.') + 1)],
    ['no JWS at all', ''],
  ];
  for (const [why, given] of bad) {
    it(`remembers for ever that it saw ${why}`, async () => {
      const check = new SelfCheck(receiptKey.publicKey, 1);
      expect([await check.check(given), check.failed]).to.deep.equal([false, true]);
      expect([await check.check(jws), check.failed]).to.deep.equal([true, true]);
    });
  }

  it('holds a foreign receipt that does not verify against nobody', async () => {
    const check = new SelfCheck(other, 1);
    expect([await check.verifies(jws), check.failed]).to.deep.equal([false, false]);
  });

  it('answers each of many, whatever its width', async () => {
    for (const width of [0, 1, 3]) {
      const check = new SelfCheck(receiptKey.publicKey, width);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => check.verifies(index % 2 === 0 ? jws : jws.slice(0, -4))),
      );
      expect(answers.filter(Boolean)).to.have.lengthOf(25);
    }
  });
});
