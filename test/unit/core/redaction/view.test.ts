import { expect } from 'chai';
import fc from 'fast-check';
import { DECODINGS } from '../../../../core/redaction/decodings.ts';
import { offsetInText } from '../../../../core/redaction/view.ts';

const encoder = new TextEncoder();
const [percent, backslashes] = DECODINGS;

/** A part of a text, and the bytes that its decoding makes of it. */
type Part = readonly [text: string, bytes: readonly number[]];

const byteText = (byte: number): string => byte.toString(16).padStart(2, '0');
const plain = fc.stringMatching(/^[a-z ]{1,5}$/).map((text): Part => [text, [...encoder.encode(text)]]);
const inPercent = fc.integer({ min: 0, max: 255 }).map((byte): Part => [`%${byteText(byte)}`, [byte]]);
const inHexEscape = fc.integer({ min: 0, max: 255 }).map((byte): Part => [`\\x${byteText(byte)}`, [byte]]);
const inLetter = fc.constant<Part>(['\\n', [0x0a]]);
const inUnicode = fc
  .integer({ min: 0x20, max: 0xd7ff })
  .map((unit): Part => [`\\u${unit.toString(16).padStart(4, '0')}`, [...encoder.encode(String.fromCharCode(unit))]]);

/** For each byte of the view, and for its end: where the part begins that it comes from, or the byte itself in a plain one. */
function placesOf(parts: readonly Part[]): readonly number[] {
  const places: number[] = [];
  let from = 0;
  for (const [text, bytes] of parts) {
    const isPlain = bytes.length === text.length;
    for (let index = 0; index < bytes.length; index += 1) places.push(isPlain ? from + index : from);
    from += text.length;
  }
  return [...places, from];
}

describe('a text without its encoding', () => {
  const cases = [
    { name: 'percent signs', decoding: percent, part: fc.oneof(plain, inPercent, inPercent) },
    {
      name: 'escapes of several lengths',
      decoding: backslashes,
      part: fc.oneof(plain, inHexEscape, inLetter, inUnicode),
    },
  ];
  for (const { name, decoding, part } of cases)
    it(`knows where each of its bytes comes from: ${name}`, () => {
      fc.assert(
        fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
          const view = decoding?.(encoder.encode(parts.map(([text]) => text).join('')));
          const isEncoded = parts.some(([text]) => /[%\\]/.test(text));
          expect(view !== undefined).to.equal(isEncoded);
          if (view === undefined) return;
          expect([...view.bytes]).to.deep.equal(parts.flatMap(([, bytes]) => bytes));
          const places = placesOf(parts);
          expect(places.map((_, offset) => offsetInText(view, offset))).to.deep.equal(places);
        }),
      );
    });
});
