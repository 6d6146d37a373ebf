import { expect } from 'chai';
import fc from 'fast-check';
import { dataText, jsonText, printable, table } from '../../../../cli/io/output.ts';

// What a terminal acts on; written as code points so that this file shows none of them.
const DANGEROUS = [0x00, 0x07, 0x0a, 0x0d, 0x1b, 0x7f, 0x9b, 0x200b, 0x202e, 0x2028, 0x2066, 0xfeff, 0xe0041];

describe('printable', () => {
  for (const code of DANGEROUS) {
    it(`writes U+${code.toString(16)} as an escape`, () => {
      expect(printable(`a${String.fromCodePoint(code)}b`)).to.match(/^a(?:\\u[0-9a-f]{4}){1,2}b$/);
    });
  }
  it('leaves letters of all kinds as they are', () => expect(printable('Grüße, 世界, 🙂')).to.equal('Grüße, 世界, 🙂'));
});

describe('jsonText', () => {
  it('prints nothing that a terminal acts on and keeps the value', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...DANGEROUS.map((code) => String.fromCodePoint(code))),
        fc.string({ minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text))), (value) => {
        const printed = jsonText(value);
        expect(printed).to.match(/^[^\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]*$/u);
        expect(printed.replaceAll('\n', '')).to.match(/^\P{Cc}*$/u);
        expect(JSON.parse(printed)).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('dataText', () => {
  it('ends with one line feed', async () => {
    expect(await dataText({ a: [1] }, 'json')).to.equal('{\n  "a": [\n    1\n  ]\n}\n');
    expect(await dataText({ a: [1] }, 'yaml')).to.equal('a:\n  - 1\n');
  });
  it('quotes in YAML what would be read as something else', async () =>
    expect(await dataText({ a: '1', b: 'null' }, 'yaml')).to.equal('a: "1"\nb: "null"\n'));
});

describe('table', () => {
  it('aligns columns and leaves no space at the end of a line', () => {
    expect(
      table([
        ['A', 'B'],
        ['long', ''],
        ['x', 'y'],
      ]),
    ).to.equal('A     B\nlong\nx     y\n');
  });
});
