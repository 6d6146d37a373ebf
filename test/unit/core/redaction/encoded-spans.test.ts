import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import { seeded } from '../../../support/seeded.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('encodings around a value', () => {
  for (const [how, width, end] of [
    ['MIME', 76, '\r\n'],
    ['PEM', 64, '\n'],
    ['a folded header', 60, '\r\n '],
  ] as const)
    it(`finds a value in base64 with lines of ${how}, wherever a line ends`, () => {
      const value = 'cnry-Xn2f8Q0bM4sKq9RtVw7YzA1c';
      const redactor = createRedactor([{ name: 'KEY', value: utf8(value) }]);
      for (let lead = 0; lead < width; lead += 1) {
        const code = Buffer.from(`${'~'.repeat(lead + 60)}${value}${'~'.repeat(60)}`).toString('base64');
        const wrapped = code.replaceAll(new RegExp(`(.{${width}})(?=.)`, 'g'), `$1${end}`);
        const { value: clean, hits } = redactor.text(`<${wrapped}>`);
        expect(hits, `${lead}`).to.equal(1);
        const [left = '', right = ''] = clean.split('[redacted:KEY]').map((part) => part.replaceAll(/\s/g, ''));
        expect(left.length + right.length - 2).to.be.at.most(Math.ceil(((lead + 120) * 4) / 3) + 8);
        expect(Buffer.from(left.slice(1), 'base64').toString('latin1')).to.match(/^~+c?$/);
      }
    });

  it('finds a value backwards, from twelve characters on', () => {
    const redactor = createRedactor([
      { name: 'LONG', value: utf8('cnry-12345678') },
      { name: 'SHORT', value: utf8('20261124') },
    ]);
    expect(redactor.text('<87654321-yrnc> 42116202').value).to.equal('<[redacted:LONG]> 42116202');
  });

  it('finds a value of which only some characters are encoded', () => {
    const redactor = createRedactor([{ name: 'KEY', value: utf8('cnry-12345678') }]);
    for (const text of ['cn%72y-1234%35678', String.raw`cnry\u002d12345678`, 'cnry&#45;12345678', 'c%6Ery%2d12345678'])
      expect(redactor.text(`<${text}>`).value, text).to.equal('<[redacted:KEY]>');
  });

  it('hits nothing in ordinary texts', () => {
    const files = [
      'package-lock.json',
      'docs/cli.md',
      'docs/reference/problem-codes.md',
      'docs/policies.md',
      'README.md',
    ];
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    const random = seeded(7);
    const shapes = [
      '0123456789abcdef',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
      `${LETTERS}-_`,
      `${LETTERS}+/`,
      '0123456789',
    ];
    const entries = Array.from({ length: 400 }, (_, index) => {
      const shape = shapes[index % shapes.length] ?? '';
      // Eight digits alone are many a number of an ordinary text, in any form.
      const length = (shape.length === 10 ? 12 : 8) + Math.floor(random() * 40);
      const value = Array.from({ length }, () => shape[Math.floor(random() * shape.length)]).join('');
      return { name: `K${index}`, value: utf8(value) };
    });
    const redactor = createRedactor(entries);
    expect(redactor.unscrubbable).to.deep.equal([]);
    for (const [index, text] of texts.entries()) {
      expect(redactor.text(text).hits, files[index]).to.equal(0);
      expect(redactor.text(JSON.stringify(text)).hits, files[index]).to.equal(0);
    }
  });
});
