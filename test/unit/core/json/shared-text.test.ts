import { expect } from 'chai';
import { HOLE, partsAround, SEAM, wholeText } from '../../../../core/json/shared-text.ts';

describe('shared text', () => {
  const rows: readonly (readonly [string, string, readonly string[], string])[] = [
    ['one hole', `{"a":${HOLE}}`, ['1'], '{"a":1}'],
    ['holes at both ends', `${HOLE},${HOLE}`, ['[', ']'], '[,]'],
    ['seams', `{"a":${SEAM}${HOLE},${SEAM}"b":2}`, ['1'], '{"a":1,"b":2}'],
    ['an own part that is empty', `{"a":"${HOLE}"}`, [''], '{"a":""}'],
  ];
  for (const [what, shared, own, whole] of rows)
    it(`is whole with its own parts: ${what}`, () => {
      expect(wholeText({ shared, own })).to.equal(whole);
      expect(partsAround(shared).length).to.equal(own.length + 1);
    });
});
