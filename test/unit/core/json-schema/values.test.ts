import { expect } from 'chai';
import fc from 'fast-check';
import { codePointLength } from '../../../../core/json-schema/values.ts';

describe('length of a text in a JSON Schema', () => {
  it('counts code points; half a surrogate pair is one', () => {
    const texts = ['', 'a', 'é', '😀', 'a😀b', '\ud83d', '\ude00', '\ude00\ud83d', '\ud83d\ud83d\ude00', '😀\ude00'];
    expect(texts.map(codePointLength)).to.deep.equal([0, 1, 1, 1, 3, 1, 1, 2, 2, 2]);
  });

  it('counts as an iterator over the text does', () => {
    const unit = fc.constantFrom('a', '😀', '\ud83d', '\ude00', '\ud800', '\udfff');
    fc.assert(fc.property(fc.string({ unit }), (text) => codePointLength(text) === Array.from(text).length));
  });
});
