import { expect } from 'chai';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const GONE = '[redacted:K]';
const cleaned = (secret: string, text: string): string =>
  createRedactor([{ name: 'K', value: utf8(secret) }]).text(text).value;
const hexOf = (text: string): readonly string[] => Array.from(utf8(text), (byte) => byte.toString(16).padStart(2, '0'));
const escaped = (text: string): string =>
  text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Part of each text below is encoded once more, so that only a decoded text holds the value. */
const DASH = String.raw`\u002d`;

describe('escapes with a backslash', () => {
  for (const [name, letter, char] of [
    ['a line feed', 'n', '\n'],
    ['a return', 'r', '\r'],
    ['a tab', 't', '\t'],
    ['a backspace', 'b', '\b'],
    ['a form feed', 'f', '\f'],
    ['a quote', '"', '"'],
    ['an apostrophe', "'", "'"],
    ['a slash', '/', '/'],
    ['a backslash', '\\', '\\'],
  ] as const)
    it(`are taken off ${name} inside a value`, () => {
      expect(cleaned(`cnry${char}1-2345678`, `<cnry\\${letter}1${DASH}2345678>`)).to.equal(`<${GONE}>`);
    });

  it('are taken off characters at the ends of each range of UTF-16', () => {
    for (const char of ['\u0000', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{103ff}', '\u{10400}', '\u{10ffff}'])
      expect(cleaned(`cnry-${char}-234`, `<${escaped(`cnry-${char}-234`)}>`), escaped(char)).to.equal(`<${GONE}>`);
  });

  it('are no reason to miss a value beside half of a pair', () => {
    const secret = '\ue000cnry-12345';
    for (const [before, after] of [
      [String.raw`\ud800`, ''],
      [String.raw`\udc00`, ''],
      [String.raw`\udc00\udc00`, ''],
      [String.raw`\udfff\udfff`, ''],
      ['', String.raw`\udc00`],
      ['', String.raw`\ud800`],
    ] as const)
      expect(cleaned(secret, before + escaped(secret) + after), before + after).to.equal(before + GONE + after);
  });

  it('stand for a pair only when both halves are escaped by u', () => {
    for (const secret of ['Xudc00-12345678', String.raw`\vdc00-12345678`])
      expect(cleaned(secret, String.raw`\ud800` + secret.replace('-', DASH)), secret).to.match(/\[redacted:K\]$/);
  });

  it('are left when their digits are none, or end with the text', () => {
    const secret = 'cnry-12345678';
    for (const end of ['\\', '\\x', '\\x4', '\\xg0', '\\u', '\\u00', '\\u004g', '\\q'])
      expect(cleaned(secret, `cnry${DASH}12345678${end}`), end).to.equal(GONE + end);
  });
});

describe('percent escapes', () => {
  it('are taken off from the first character on, also behind a percent sign', () => {
    expect(cleaned('cnry-12345678', '%63nry-1234567%38')).to.equal(GONE);
    expect(cleaned('cnry-12345678', '%%63nry-1234567%38%')).to.equal(`%${GONE}%`);
  });

  it('beside a value stay as they are', () => {
    expect(cleaned('cnry-12345678', '%3Ccnry%2D12345678%3E')).to.equal(`%3C${GONE}%3E`);
    expect(cleaned('cnry-12345678', '%3Ccnry%2D12345678%3E%3Ccnry%2D12345678')).to.equal(`%3C${GONE}%3E%3C${GONE}`);
  });
});

describe('a text with an encoding taken off', () => {
  it('begins with its own first character, and with no byte before it', () => {
    expect(cleaned('\u0000nry-12345678', 'nry%2d12345678')).to.equal('nry%2d12345678');
    expect(cleaned('\u0000nry-12345678', '%00nry%2d12345678')).to.equal(GONE);
  });
});

describe('entities', () => {
  for (const [entity, char] of [
    ['&amp;', '&'],
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['&quot;', '"'],
    ['&apos;', "'"],
    ['&#0045;', '-'],
    ['&#x2D;', '-'],
    ['&#X2d;', '-'],
    ['&#0000045;', '-'],
    ['&#00000045;', '-'],
    ['&#x0000002d;', '-'],
    ['&#1114111;', '\u{10ffff}'],
    ['&#x10FFFF;', '\u{10ffff}'],
  ] as const)
    it(`are taken off: ${entity}, also where the same character stands as it is`, () => {
      expect(cleaned(`cnry${char}1.2345678`, `<cnry${entity}1&#46;2345678>`)).to.equal(`<${GONE}>`);
      expect(cleaned(`cnry${char}1${char}2345678`, `<cnry${entity}1${char}2345678>`)).to.equal(`<${GONE}>`);
    });

  for (const text of ['&#45', '&#;', '&#x;', '&xmp;', '&#4g;', '&#xg;', '&#000000045;', '&amp', '&AMP;', '&#99999999;'])
    it(`are none: ${text}`, () => {
      expect(cleaned(`cnry${text}x.2345678`, `cnry${text}x&#46;2345678`)).to.equal(GONE);
    });
});

describe('lines of code', () => {
  // 4 lines of 16 characters, so that each break is inside the value.
  const secret = 'cnry-Xn2f8Q0bM4sKq9RtVw7YzA1cTr4p';
  const lines = (width: number, end: string): string =>
    hexOf(secret)
      .join('')
      .replaceAll(new RegExp(`(.{${width}})(?=.)`, 'g'), `$1${end}`);

  it('are joined from 16 characters on', () => {
    expect(cleaned(secret, lines(16, '\n'))).to.equal(GONE);
    expect(cleaned(secret, lines(15, '\n'))).to.equal(lines(15, '\n'));
  });

  it('are joined over each end of a line, with blanks behind it, and no more than one', () => {
    for (const end of ['\n', '\r', '\r\n', '\n ', '\n\t', '\r\n\t ', '\r '])
      expect(cleaned(secret, `${lines(22, end)}\n`), JSON.stringify(end)).to.equal(`${GONE}\n`);
    for (const end of ['\n\n', ' \n', '\n>']) expect(cleaned(secret, lines(22, end))).to.equal(lines(22, end));
  });

  it('are no code with another character in their last 16', () => {
    const [one, other] = ['cnryXn2f8Q0bM4sK', 'q9RtVw7Y'];
    expect(cleaned(one + other, `${one}\n${other}`)).to.equal(GONE);
    for (const char of ['.', ' ', '"']) {
      const whole = `cnryXn2f8Q${char}bM4sK`;
      expect(cleaned(whole + other, `${whole}\n${other}`), char).to.equal(`${whole}\n${other}`);
    }
  });
});

describe('hexadecimal pairs with separators', () => {
  const secret = 'cnry-12345678';

  it('are joined wherever they begin and end in a text', () => {
    for (const separator of [':', ' ', '-'])
      for (let before = 0; before < 12; before += 1) {
        const [left, right] = ['~'.repeat(before), '~'.repeat(11 - before)];
        const text = left + hexOf(secret).join(separator) + right;
        expect(cleaned(secret, text), text).to.equal(left + GONE + right);
      }
  });

  it('are joined when they are all of a text and no more than eight', () => {
    expect(cleaned('cn-7Xq2Z', hexOf('cn-7Xq2Z').join(':'))).to.equal(GONE);
  });

  it('are joined only in a text that has three of them in a row', () => {
    expect(cleaned('ab12345678', 'a word ab 12345678')).to.equal('a word ab 12345678');
    expect(cleaned('ab12345678', 'a word ab 12345678, 61:62:63:64:65:66:67:68')).to.equal(
      `a word ${GONE}, 61:62:63:64:65:66:67:68`,
    );
  });

  it('are the only words that are joined in a text that has them', () => {
    const pairs = hexOf('some other text').join(':');
    for (const words of [
      'wxyz 12345678',
      'zb 12345678wx',
      'bz 12345678wx',
      'ab x12345678',
      'ab 1x2345678',
      'ab xy1234567',
      'ab  12345678',
    ])
      expect(cleaned(words.replaceAll(' ', ''), `${pairs} ${words}`), words).to.equal(`${pairs} ${words}`);
  });
});
