import { expect } from 'chai';
import fc from 'fast-check';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from '../../../../core/json/base64.ts';

type Decode = (text: string) => Uint8Array | undefined;
const decoders: readonly (readonly [name: string, decode: Decode, encoding: 'base64' | 'base64url'])[] = [
  ['decodeBase64', decodeBase64, 'base64'],
  ['decodeBase64Url', decodeBase64Url, 'base64url'],
];

describe('encodeBase64 and encodeBase64Url', () => {
  it('agree with the runtime for bytes of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(encodeBase64(bytes)).to.equal(Buffer.from(bytes).toString('base64'));
        expect(encodeBase64Url(bytes)).to.equal(Buffer.from(bytes).toString('base64url'));
      }),
    );
  });

  it('reach every character of the alphabet', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(new Set(encodeBase64(bytes)).size).to.equal(65);
    expect(encodeBase64Url(Uint8Array.of(0xfb, 0xff))).to.equal('-_8');
    expect(encodeBase64(Uint8Array.of(0xfb, 0xff))).to.equal('+/8=');
  });
});

describe('decodeBase64', () => {
  const rows: readonly (readonly [why: string, text: string])[] = [
    ['no padding', 'AA'],
    ['half of the padding', 'AA='],
    ['too much padding', 'AAA=='],
    ['padding alone', '===='],
    ['padding inside', 'AA==AAAA'],
    ['other trailing bits, two characters', 'AB=='],
    ['other trailing bits, three characters', 'AAB='],
    ['the URL-safe alphabet', '-_8='],
    ['white space', 'AAAA AAA'],
    ['a final line feed', 'AAAA\n'],
    ['a character above 255', 'AAA\u0141'],
  ];
  for (const [why, text] of rows) it(`refuses ${why}`, () => expect(decodeBase64(text)).to.equal(undefined));
});

describe('decodeBase64Url', () => {
  const rows: readonly (readonly [why: string, text: string])[] = [
    ['padding', 'AA=='],
    ['a length that no bytes have', 'AAAAA'],
    ['other trailing bits, two characters', 'AB'],
    ['other trailing bits, three characters', 'AAB'],
    ['the standard alphabet', '+/8'],
    ['a line feed inside', 'AA\nAA'],
    ['a dot', 'AA.A'],
  ];
  for (const [why, text] of rows) it(`refuses ${why}`, () => expect(decodeBase64Url(text)).to.equal(undefined));
});

for (const [name, decode, encoding] of decoders) {
  describe(`${name} in general`, () => {
    it('reads back whatever was written', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
          expect([...(decode(Buffer.from(bytes).toString(encoding)) ?? [-1])]).to.deep.equal([...bytes]);
        }),
      );
    });

    it('accepts a text only if it is the one spelling of its bytes', () => {
      const texts = fc.string({ unit: fc.constantFrom(...'ABZaz019+/-_=\n'.split('')), maxLength: 12 });
      fc.assert(
        fc.property(texts, (text) => {
          const bytes = decode(text);
          const spelling = Buffer.from(bytes ?? []).toString(encoding);
          expect(bytes === undefined || spelling === text).to.equal(true);
          expect(bytes === undefined && Buffer.from(text, encoding).toString(encoding) === text).to.equal(false);
        }),
      );
    });
  });
}
