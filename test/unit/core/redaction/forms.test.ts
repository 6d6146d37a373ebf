import { expect } from 'chai';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const percent = (text: string, keep: RegExp, isUpper = true): string =>
  Array.from(utf8(text), (byte) => {
    const unit = String.fromCharCode(byte);
    const hex = byte.toString(16).padStart(2, '0');
    return keep.test(unit) ? unit : `%${isUpper ? hex.toUpperCase() : hex}`;
  }).join('');
const unicode = (text: string, of: RegExp, isUpper = false): string =>
  text.replaceAll(of, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${isUpper ? hex.toUpperCase() : hex}`;
  });
const markup = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const html =
  (double: string, single: string) =>
  (text: string): string =>
    markup(text).replaceAll('"', double).replaceAll("'", single);
const cleaned = (value: string, text: string): string =>
  createRedactor([{ name: 'K', value: utf8(value) }]).text(text).value;

const VALUE = `cnry-"<&'/\\>" \n\u0001%+~*!(é密🔑)`;

/** What an encoder of each kind writes. In quotes so much is encoded twice more, so that only a form of the value helps. */
const ENCODERS: readonly (readonly [string, (text: string) => string])[] = [
  ['JSON', json],
  ['JSON with escaped slashes', (text) => json(text).replaceAll('/', String.raw`\/`)],
  ['ASCII JSON', (text) => unicode(json(text), /[\u0080-\uffff]/g)],
  ['ASCII JSON in upper case', (text) => unicode(json(text), /[\u0080-\uffff]/g, true)],
  ['JSON safe for HTML', (text) => unicode(json(text), /[<>&]/g)],
  ['JSON safe for HTML with escaped slashes', (text) => unicode(json(text), /[<>&]/g).replaceAll('/', String.raw`\/`)],
  ['HTML with &#39;', html('&quot;', '&#39;')],
  ['HTML with &#x27;', html('&quot;', '&#x27;')],
  ['HTML with &#039;', html('&quot;', '&#039;')],
  ['HTML with &apos;', html('&quot;', '&apos;')],
  ['HTML with &#34;', html('&#34;', '&#39;')],
  ['HTML with quotes only', html('&quot;', "'")],
  ['XML text', html('"', "'")],
  ['RFC 3986', (text) => percent(text, /[A-Za-z0-9._~-]/)],
  ['RFC 3986 in lower case', (text) => percent(text, /[A-Za-z0-9._~-]/, false)],
  ['a path', (text) => percent(text, /[A-Za-z0-9._~/-]/)],
  ['encodeURIComponent', encodeURIComponent],
  ['encodeURI', encodeURI],
  ['a form', (text) => new URLSearchParams({ v: text }).toString().slice(2)],
  ['a form in lower case', (text) => percent(text, /[A-Za-z0-9*._ -]/, false).replaceAll(' ', '+')],
];

describe('secretForms', () => {
  const { text } = createRedactor([{ name: 'K', value: utf8(VALUE) }]);
  for (const [name, encode] of ENCODERS)
    for (const [outer, wrap] of [
      ['JSON in JSON', json],
      ['percent escapes in percent escapes', encodeURIComponent],
      ['entities in entities', markup],
    ] as const)
      it(`find a value in ${name}, also within ${outer}`, () => {
        expect(text(wrap(wrap(`<${encode(VALUE)}>`)))).to.deep.equal({
          value: `${wrap(wrap('<'))}[redacted:K]${wrap(wrap('>'))}`,
          hits: 1,
        });
      });

  for (const lead of [0, 1, 2])
    it(`find a value in both alphabets of base64 after ${lead} bytes`, () => {
      const value = '>>>>???>>>???~~~~~';
      const redactor = createRedactor([{ name: 'K', value: utf8(value) }]);
      for (const alphabet of ['base64', 'base64url'] as const) {
        const code = Buffer.from(`${'x'.repeat(lead)}${value}`).toString(alphabet);
        expect(redactor.text(code).hits, code).to.equal(1);
        expect(redactor.text(code).value.length, code).to.be.at.most('[redacted:K]'.length + lead + 6);
      }
    });

  it('find the hexadecimal digits of bytes below 16', () => {
    const redactor = createRedactor([{ name: 'K', value: Uint8Array.of(0, 1, 2, 9, 10, 15, 16, 17) }]);
    expect(redactor.text('<000102090a0f1011>').value).to.equal('<[redacted:K]>');
    expect(redactor.text('<000102090A0F1011>').value).to.equal('<[redacted:K]>');
  });

  it('find a value backwards from twelve characters on, its characters whole', () => {
    expect(cleaned('cnry-🔑-12345', '54321-🔑-yrnc')).to.equal('[redacted:K]');
    expect(cleaned('abcdefghijkl', 'lkjihgfedcba')).to.equal('[redacted:K]');
    expect(cleaned('abcdefghijk', 'kjihgfedcba')).to.equal('kjihgfedcba');
  });
});
