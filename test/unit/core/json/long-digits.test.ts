import { expect } from 'chai';
import fc from 'fast-check';
import { hasLongDigits } from '../../../../core/json/long-digits.ts';

const SIXTEEN = '1234567890123456';

describe('hasLongDigits', () => {
  const rows: readonly (readonly [why: string, text: string, expected: boolean])[] = [
    ['no text', '', false],
    ['fifteen digits', SIXTEEN.slice(1), false],
    ['sixteen digits', SIXTEEN, true],
    ['more digits', SIXTEEN.repeat(3), true],
    ['two runs of fifteen', `${SIXTEEN.slice(1)},${SIXTEEN.slice(1)}`, false],
    ['a run at the end of JSON', `{"id":${SIXTEEN}}`, true],
    ['a fraction', '0.123456789012345', false],
    ['digits of another script', '١'.repeat(16), false],
    ['neighbours of digits', '/:'.repeat(16), false],
  ];
  for (const [why, text, expected] of rows)
    it(`answers ${expected} for ${why}`, () => {
      expect(hasLongDigits(text)).to.equal(expected);
    });

  it('finds a run wherever it begins', () => {
    const missed = Array.from({ length: 64 }, (_, before) => before).filter(
      (before) =>
        !hasLongDigits('x'.repeat(before) + SIXTEEN) || hasLongDigits(`${'x'.repeat(before)}${SIXTEEN.slice(1)}x`),
    );
    expect(missed).to.deep.equal([]);
  });

  it('says the same as the regular expression about any text of digits and letters', () => {
    const runs = fc.array(fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 3 })), { maxLength: 12 });
    fc.assert(
      fc.property(runs, (parts) => {
        const text = parts.map(([digits, letters]) => '7'.repeat(digits) + 'x'.repeat(letters)).join('');
        expect(hasLongDigits(text)).to.equal(/\d{16}/.test(text));
      }),
    );
  });
});
