import { expect } from 'chai';
import fc from 'fast-check';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../../../core/json/bytes.ts';

describe('UTF-8', () => {
  const refusals: readonly (readonly [why: string, bytes: readonly number[]])[] = [
    ['a byte that no character begins with', [0xff]],
    ['a cut character', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ];
  for (const [why, bytes] of refusals) {
    it(`refuses ${why}`, () => expect(decodeUtf8(Uint8Array.from(bytes))).to.equal(undefined));
  }

  it('keeps a byte order mark, so that JSON.parse refuses the text', () => {
    const text = decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d));
    expect(text).to.equal('\ufeff{}');
    expect(() => void JSON.parse(text ?? '{}')).to.throw(SyntaxError);
  });

  it('reads back whatever it wrote', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => void expect(decodeUtf8(encodeUtf8(text))).to.equal(text)),
    );
  });

  it('gives one text for one byte string only', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = decodeUtf8(bytes);
        expect(text === undefined ? [...bytes] : [...encodeUtf8(text)]).to.deep.equal([...bytes]);
      }),
    );
  });
});

describe('concatBytes', () => {
  it('joins in order and copies', () => {
    const part = Uint8Array.of(1, 2);
    const joined = concatBytes(part, new Uint8Array(0), Uint8Array.of(3));
    part[0] = 9;
    expect([...joined]).to.deep.equal([1, 2, 3]);
    expect(concatBytes().length).to.equal(0);
  });
});
