import { expect } from 'chai';
import { positiveInteger } from '../../../../adapters/egress/der.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('positiveInteger', () => {
  for (const [why, bytes, expected] of [
    ['below 128 as it is', [0x7f], '02017f'],
    ['of 128 with a zero before it, or it would be negative', [0x80], '02020080'],
    ['of two bytes, the first above 127, in the same way', [0xff, 0x01], '020300ff01'],
  ] as const)
    it(`writes a number ${why}`, () => {
      expect(hex(positiveInteger(Uint8Array.from(bytes)))).to.equal(expected);
    });
});
