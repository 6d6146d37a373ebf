import { expect } from 'chai';
import fc from 'fast-check';
import { encodeHex, sameBytes } from '../../../../core/json/hex.ts';

describe('encodeHex', () => {
  it('writes two lower-case digits a byte', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        (bytes) => void expect(encodeHex(bytes)).to.equal(Buffer.from(bytes).toString('hex')),
      ),
    );
  });
});

describe('sameBytes', () => {
  it('is equality of length and content', () => {
    const bytes = fc.uint8Array({ maxLength: 3, max: 2 });
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        expect(sameBytes(one, other)).to.equal(Buffer.compare(one, other) === 0);
      }),
    );
  });
});
