import { expect } from 'chai';
import { mayContain, nextCandidate, prefilterOf } from '../../../../core/redaction/prefilter.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the filter before a search', () => {
  for (const value of ['cnry-123', 'cnry-Xn2f8Q0bM4', 'cnry-Xn2f8Q0bM4sKq9RtVw7YzA1cTr4p0123456789']) {
    const filter = prefilterOf([{ bytes: utf8(value), entry: 0 }]);

    it(`finds a value of ${value.length} characters at any place of a text`, () => {
      for (let before = 0; before < 200; before += 1) {
        const text = '~'.repeat(before) + value;
        expect(mayContain(filter, text), text).to.equal(true);
        const candidate = nextCandidate(filter, utf8(text), 0);
        expect(candidate, text).to.be.within(before, before + filter.reach);
      }
    });

    it(`passes over a text without a value of ${value.length} characters`, () => {
      const text = '~'.repeat(1000);
      expect([mayContain(filter, text), nextCandidate(filter, utf8(text), 0)]).to.deep.equal([false, -1]);
    });
  }
});
