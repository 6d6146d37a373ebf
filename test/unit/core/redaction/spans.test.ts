import { expect } from 'chai';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (secrets: Readonly<Record<string, string>>) =>
  createRedactor(Object.entries(secrets).map(([name, value]) => ({ name, value: utf8(value) }))).text;

describe('hits in a text and in the text without its encoding', () => {
  it('that begin together are one, named after the longest', () => {
    const text = textOf({ SHORT: 'prefix-12', LONG: 'prefix-12-and-more' });
    expect(text('<prefix-12%2Dand-more>')).to.deep.equal({ value: '<[redacted:LONG]>', hits: 1 });
  });

  it('that overlap are one, named after the first, and nothing of the second stays', () => {
    const text = textOf({ ONE: 'abc%64efgh1', TWO: 'efgh12345678' });
    expect(text('<abc%64efgh123456%378>')).to.deep.equal({ value: '<[redacted:ONE]>', hits: 1 });
    expect(text('<abc%64efgh1> <abc%64efgh123456%378>')).to.deep.equal({
      value: '<[redacted:ONE]> <[redacted:ONE]>',
      hits: 2,
    });
  });

  it('that lie inside a longer one leave its end where it is', () => {
    const text = textOf({ INNER: 'efgh1234', OUTER: 'abc%64efgh12345678' });
    expect(text('<abc%64efgh12345678>')).to.deep.equal({ value: '<[redacted:OUTER]>', hits: 1 });
  });

  it('that touch stay two', () => {
    const text = textOf({ ONE: 'cnry-111', TWO: 'cnry-222' });
    expect(text('cnry-111cnry%2d222')).to.deep.equal({ value: '[redacted:ONE][redacted:TWO]', hits: 2 });
    expect(text('cnry%2d111cnry-222')).to.deep.equal({ value: '[redacted:ONE][redacted:TWO]', hits: 2 });
  });
});

describe('a search', () => {
  const SECRET = 'cnry-Xn2f8Q0bM4sKq9RtVw7YzA1c-and-so-on-to-the-end';

  it('ends with a text that breaks off inside a value, and leaves it', () => {
    const text = textOf({ K: SECRET });
    for (let length = 1; length < SECRET.length; length += 1) {
      const part = `~~~${SECRET.slice(0, length)}`;
      expect(text(part)).to.deep.equal({ value: part, hits: 0 });
    }
  });

  it('finds a value behind a beginning of it, of any length', () => {
    const text = textOf({ K: SECRET });
    for (let length = 0; length < SECRET.length; length += 1) {
      const part = SECRET.slice(0, length);
      expect(text(`${part}${SECRET}${part}`).value).to.equal(`${part}[redacted:K]${part}`);
    }
  });

  it('finds each value of many, also behind other text', () => {
    const secrets = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `K${index}`,
        `${String.fromCharCode(65 + index)}${index}-value-of-one`,
      ]),
    );
    const text = textOf(secrets);
    for (const [name, value] of Object.entries(secrets))
      for (const before of ['', '~', 'A0', 'value-of-', value.slice(0, 5)])
        expect(text(`${before}${value}`).value).to.equal(`${before}[redacted:${name}]`);
  });
});
