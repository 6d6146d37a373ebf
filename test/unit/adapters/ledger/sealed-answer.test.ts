import { expect } from 'chai';
import fc from 'fast-check';
import { openAnswer, sealAnswer, type AnswerPlace } from '../../../../adapters/ledger/sealed-answer.ts';

const key = new Uint8Array(32).fill(7);
const nonce = new Uint8Array(12).fill(1);
const place: AnswerPlace = { tenant: 'acme', path: '/p', key: 'k' };

describe('sealAnswer', () => {
  it('gives any text back under the same place and key', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(texts, (text) => {
        expect(openAnswer(sealAnswer(text, place, key, nonce), place, key)).to.equal(text);
      }),
    );
  });

  const others: readonly (readonly [string, AnswerPlace])[] = [
    ['another tenant', { ...place, tenant: 'globex' }],
    ['another path', { ...place, path: '/q' }],
    ['another key', { ...place, key: 'kk' }],
    ['a border moved between path and key', { ...place, path: '/pk', key: '' }],
  ];
  for (const [why, other] of others) {
    it(`does not open for ${why}`, () => {
      const sealed = sealAnswer('secret', place, key, nonce);
      expect(() => openAnswer(sealed, other, key)).to.throw();
    });
  }

  it('does not open with any one byte changed, nor cut short, nor with another key', () => {
    const sealed = sealAnswer('secret', place, key, nonce);
    for (let position = 0; position < sealed.length; position += 1) {
      const changed = Uint8Array.from(sealed);
      changed[position] = (changed[position] ?? 0) ^ 1;
      expect(() => openAnswer(changed, place, key), `byte ${position}`).to.throw();
    }
    expect(() => openAnswer(sealed.subarray(0, sealed.length - 1), place, key)).to.throw();
    expect(() => openAnswer(sealed.subarray(0, 20), place, key)).to.throw();
    expect(() => openAnswer(sealed, place, new Uint8Array(32))).to.throw();
  });

  it('hides the text', () => {
    expect(Buffer.from(sealAnswer('secret', place, key, nonce)).includes('secret')).to.equal(false);
  });
});
