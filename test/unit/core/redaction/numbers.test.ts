import { expect } from 'chai';
import * as fc from 'fast-check';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import type { Redactor } from '../../../../core/redaction/redactor.ts';
import { shownBody } from '../../../../core/run/shown-body.ts';

const knowing = (...values: readonly string[]): Redactor =>
  createRedactor(values.map((value, index) => ({ name: `K${index}`, value: new TextEncoder().encode(value) })));

function read(text: string): JsonValue {
  const holder: unknown = JSON.parse(`{"value":${text}}`);
  return isJsonObject(holder) ? (holder['value'] ?? null) : null;
}

const GONE = '[redacted:K0]';

describe('secrets that come back as JSON numbers', () => {
  const found: readonly (readonly [string, string, string])[] = [
    ['its digits', '12345678', '12345678'],
    ['its digits behind a sign', '12345678', '-12345678'],
    ['a fraction of zeros', '12345678', '12345678.000'],
    ['an exponent', '12345678', '1.2345678e7'],
    ['an exponent and more digits', '12345678', '0.012345678E+10'],
    ['more digits around it', '12345678', '912345678900'],
    ['more digits than are written without exponent', '12345678', '12345678000000000000000000'],
    ['a tiny number', '12345678', '1.2345678e-9'],
    ['a number without its leading zeros', '0012345678', '12345678'],
    ['a number without its plus', '+12345678', '12345678'],
    ['a number without its minus', '-12345678', '12345678'],
    ['a number without its newline', '12345678\n', '12345678'],
    ['its value, when it has an exponent', '1.2345678E15', '1234567800000000'],
    ['a point inside its digits', '12345678', '12345678e-4'],
    ['a decimal', '1234.56789', '1234.56789'],
    ['its first digits, the others rounded', '12345678901234567890', '12345678901234567890'],
    ['the same behind another digit', '12345678901234567890', '912345678901234567890'],
    ['zeros at its end, of which JavaScript writes an exponent', '1234567800', '1.2345678e30'],
    ['its hexadecimal digits', '12345678', '3132333435363738'],
    ['the least and the greatest of a double', '10000000', '10000000'],
  ];
  for (const [why, secret, source] of found) {
    it(`are redacted: ${why}`, () => {
      const value = read(`{"echo":[${source}]}`);
      expect(knowing(secret).json(value)).to.deep.equal({ value: { echo: [GONE] }, hits: 1 });
      expect(knowing(secret).json(read(source))).to.deep.equal({ value: GONE, hits: 1 });
    });
  }

  it('are redacted beside secrets of other kinds, each by its own marker', () => {
    const { json } = knowing('cnry-word', '12345678', '87654321');
    expect(json([87_654_321, 'cnry-word', 12_345_678, 5]).value).to.deep.equal([
      '[redacted:K2]',
      '[redacted:K0]',
      '[redacted:K1]',
      5,
    ]);
  });

  it('are redacted in a body that a person may see, also beside one that is spelled otherwise', () => {
    const body = '{"a":12345678,"b":1.2345678e7,"c":"x","12345678":0}';
    expect(shownBody(new TextEncoder().encode(body), knowing('12345678'))).to.equal(
      '{"12345678":0,"a":"[redacted:K0]","b":"[redacted:K0]","c":"x"}'.replace('12345678', GONE),
    );
  });

  const left: readonly (readonly [string, string, number])[] = [
    ['of another value', '12345678', 12_345_679],
    ['of a value under 8 bytes', '1234567', 1_234_567],
    ['of a value with fewer than 8 digits behind its zeros', '00000001', 1],
    ['that differs from a value in its 15th digit', '123456789012345', 123_456_789_012_346],
    ['under a million', '00000012', 12],
    ['of a value that is no number', 'cnry-12345678', 12_345_678],
    ['that a hexadecimal value stands for', '0x12345678', 305_419_896],
  ];
  for (const [why, secret, value] of left) {
    it(`leave a number ${why}`, () => {
      const input = { a: value };
      expect(knowing(secret).json(input)).to.deep.equal({ value: input, hits: 0 });
    });
  }

  it('leave nothing of any value of digits in any number that is made of it', () => {
    // A number keeps no zero at the end of a fraction.
    const digits = fc.tuple(fc.stringMatching(/^0{0,3}$/), fc.stringMatching(/^[1-9][0-9]{6,13}[1-9]$/));
    const around = fc.tuple(fc.constantFrom('', '-'), fc.integer({ min: -300, max: 290 }));
    fc.assert(
      fc.property(digits, around, ([zeros, secret], [sign, exponent]) => {
        const value = read(`{"${secret}":[${sign}${secret}e${exponent},${sign}${secret}]}`);
        expect(knowing(secret).json(value)).to.deep.equal({ value: { [GONE]: [GONE, GONE] }, hits: 3 });
        expect(knowing(zeros + secret).json(Object.values(value ?? {})).value).to.deep.equal([[GONE, GONE]]);
      }),
    );
  });
});
