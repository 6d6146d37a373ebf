import { expect } from 'chai';
import * as fc from 'fast-check';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import { secretForms } from '../../../../core/redaction/forms.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const percent = (bytes: Uint8Array, keep: RegExp): string =>
  Array.from(bytes, (byte) => {
    const unit = String.fromCharCode(byte);
    return keep.test(unit) ? unit : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
const lowerPercent = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (unit) => unit.toLowerCase());
const html = (text: string, double: string, single: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', double)
    .replaceAll("'", single);
const escaped = (text: string, of: RegExp): string =>
  text.replaceAll(of, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const upperEscaped = (text: string): string =>
  text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');
const inner = (text: string): string => JSON.stringify(text).slice(1, -1);

const CANARIES: readonly (readonly [string, string])[] = [
  ['of letters and digits', 'cnry-Xn2f8Q0bM4sKq9RtVw7YzA1c'],
  ['of eight bytes', 'cn-7Xq2Z'],
  ['with quotes and markup', `cnry-"<&'/\\>"-7f3a9c`],
  ['with percent, plus and space', 'cnry-%41+ b%20=c&d;e?f#g-91'],
  ['of several lines', 'cnry-line1\nline2\r\n\tline3\u0001end'],
  ['of other scripts', 'cnry-пароль-密码-🔑-ключ'],
  ['of 4 KiB', `cnry-${'Zm9vYmFyLW5vdC1yZXBlYXRlZA'.repeat(158)}`.slice(0, 4096)],
];

const ENCODERS: readonly (readonly [string, (text: string) => string])[] = [
  ['raw', (text) => text],
  ['hex', (text) => Buffer.from(text).toString('hex')],
  ['upper-case hex', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['percent-encoded (RFC 3986)', (text) => percent(utf8(text), /[A-Za-z0-9._~-]/)],
  ['percent-encoded in lower case', (text) => lowerPercent(percent(utf8(text), /[A-Za-z0-9._~-]/))],
  ['encodeURIComponent', encodeURIComponent],
  ['encodeURI', encodeURI],
  ['form-encoded', (text) => new URLSearchParams({ v: text }).toString().slice(2)],
  ['JSON', (text) => JSON.stringify(text).slice(1, -1)],
  [
    'JSON with escaped slashes',
    (text) =>
      JSON.stringify(text)
        .slice(1, -1)
        .replaceAll('/', String.raw`\/`),
  ],
  ['ASCII JSON', (text) => escaped(JSON.stringify(text).slice(1, -1), /[\u0080-\uffff]/g)],
  ['JSON safe for HTML', (text) => escaped(JSON.stringify(text).slice(1, -1), /[<>&]/g)],
  ['HTML', (text) => html(text, '&quot;', '&#39;')],
  ['HTML with numeric quotes', (text) => html(text, '&#34;', '&#39;')],
  ['HTML with hexadecimal apostrophe', (text) => html(text, '&quot;', '&#x27;')],
  ['XML attribute', (text) => html(text, '&quot;', '&apos;')],
  ['XML text', (text) => html(text, '"', "'")],
  ['percent-encoded, every byte', (text) => percent(utf8(text), /$^/)],
  ['percent-encoded, every byte in lower case', (text) => lowerPercent(percent(utf8(text), /$^/))],
  ['percent-encoded twice', (text) => encodeURIComponent(percent(utf8(text), /$^/))],
  ['JSON with every character escaped', (text) => escaped(text, /[^]/g)],
  ['JSON with every character escaped in upper case', (text) => upperEscaped(text)],
  ['JSON in JSON', (text) => inner(inner(text))],
  ['escaped characters in JSON', (text) => inner(escaped(text, /[^]/g))],
  ['escaped bytes of a program', (text) => Array.from(utf8(text), (byte) => `\\x${hexOf(byte)}`).join('')],
  ['decimal entities', (text) => Array.from(text, (unit) => `&#${unit.codePointAt(0)};`).join('')],
  ['hexadecimal entities', (text) => Array.from(text, (unit) => `&#x${unit.codePointAt(0)?.toString(16)};`).join('')],
  [
    'hexadecimal entities with zeros in upper case',
    (text) =>
      Array.from(text, (unit) => `&#X${unit.codePointAt(0)?.toString(16).toUpperCase().padStart(6, '0')};`).join(''),
  ],
  ['HTML in JSON', (text) => inner(html(text, '&quot;', '&#39;'))],
  ['hex with colons', (text) => Array.from(utf8(text), hexOf).join(':')],
  ['upper-case hex with spaces', (text) => Array.from(utf8(text), hexOf).join(' ').toUpperCase()],
  ['hex with dashes', (text) => Array.from(utf8(text), hexOf).join('-')],
];

/** Bytes that no form contains, in the canaries above or anywhere. */
const BEFORE = utf8('{"echo":"~|');
const AFTER = utf8('|~","status":7}');
const padded = (text: string, length: number): string => text.padStart(length, '~');
const around = (middle: string): Uint8Array => Buffer.concat([BEFORE, Buffer.from(middle), AFTER]);

describe('createRedactor', () => {
  for (const [what, value] of CANARIES) {
    const redactor = createRedactor([{ name: 'KEY', value: utf8(value) }]);
    for (const [how, encode] of ENCODERS) {
      it(`finds a value ${what} as ${how}`, () => {
        const { value: bytes, hits } = redactor.bytes(around(encode(value)));
        expect(binary(bytes)).to.equal(binary(around('[redacted:KEY]')));
        expect(hits).to.equal(1);
        expect(redactor.text(encode(value)).value).to.equal('[redacted:KEY]');
      });
    }

    for (const lead of [0, 1, 2, 3, 4, 5]) {
      for (const alphabet of ['base64', 'base64url'] as const) {
        it(`finds a value ${what} in ${alphabet} after ${lead} other bytes`, () => {
          const leak = Buffer.concat([
            Buffer.from('\u00ff\u00fe~').subarray(0, lead),
            Buffer.from(value),
            Buffer.from('/?'),
          ]);
          const text = leak.toString(alphabet);
          const { value: clean, hits } = redactor.text(`<${text}>`);
          expect(hits).to.equal(1);
          const [left = '', right = ''] = clean.split('[redacted:KEY]');
          // What stays: the characters of the bytes around, one shared with the value on each side, padding, and the bracket.
          expect(left.length).to.be.at.most(1 + Math.ceil((lead * 8) / 6));
          expect(right.length).to.be.at.most(7);
        });
      }
    }
  }

  it('finds every form', () => {
    const value = `cnry-"%é\n-4f`;
    const redactor = createRedactor([{ name: 'KEY', value: utf8(value) }]);
    for (const form of secretForms(utf8(value))) {
      const { value: clean, hits } = redactor.bytes(Buffer.concat([BEFORE, form, AFTER]));
      expect([binary(clean), hits]).to.deep.equal([binary(around('[redacted:KEY]')), 1]);
    }
  });

  it('finds a value with and without the newline that its entry ends with', () => {
    for (const newline of ['\n', '\r\n']) {
      const redactor = createRedactor([{ name: 'KEY', value: utf8(`cnry-12345678${newline}`) }]);
      expect(redactor.text('<cnry-12345678>').value).to.equal('<[redacted:KEY]>');
      expect(redactor.text(`<cnry-12345678${newline}>`).value).to.equal('<[redacted:KEY]>');
      const hex = Buffer.from('cnry-12345678').toString('hex');
      expect(redactor.text(`<${hex}>`).value).to.equal('<[redacted:KEY]>');
    }
  });

  it('finds bytes that are no UTF-8', () => {
    const value = Uint8Array.of(0xff, 0xfe, 0x80, 1, 2, 3, 4, 5, 0x80);
    const { bytes, text } = createRedactor([{ name: 'KEY', value }]);
    expect(binary(bytes(Buffer.concat([BEFORE, value, AFTER])).value)).to.equal(binary(around('[redacted:KEY]')));
    expect(text(`<${Buffer.from(value).toString('hex')}>`).value).to.equal('<[redacted:KEY]>');
  });

  it('takes no replacement characters for bytes that are no UTF-8', () => {
    const { text } = createRedactor([{ name: 'KEY', value: new Uint8Array(9).fill(0xff) }]);
    const unreadable = '<\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd>';
    expect(text(unreadable)).to.deep.equal({ value: unreadable, hits: 0 });
  });

  it('lets nothing of a value that repeats itself through', () => {
    const { bytes } = createRedactor([{ name: 'KEY', value: utf8('abababab') }]);
    // The first 16 bytes are one run of occurrences; the last `a` is none.
    expect(binary(bytes(utf8('<ababababababababa>')).value)).to.equal('<[redacted:KEY]a>');
  });

  it('leaves nothing of two values that overlap', () => {
    const redactor = createRedactor([
      { name: 'ONE', value: utf8('abcdefgh12') },
      { name: 'TWO', value: utf8('gh12345678') },
    ]);
    expect(redactor.text('<abcdefgh12345678>')).to.deep.equal({ value: '<[redacted:ONE]>', hits: 1 });
    expect(redactor.text('<abcdefgh12gh12345678>')).to.deep.equal({ value: '<[redacted:ONE][redacted:TWO]>', hits: 2 });
  });

  it('names the longest of two values that begin together', () => {
    const redactor = createRedactor([
      { name: 'SHORT', value: utf8('prefix-12') },
      { name: 'LONG', value: utf8('prefix-12-and-more') },
      { name: 'INNER', value: utf8('12-and-mo') },
    ]);
    expect(redactor.text('<prefix-12-and-more>').value).to.equal('<[redacted:LONG]>');
    expect(redactor.text('<prefix-12-and-mo>').value).to.equal('<[redacted:SHORT]>');
  });

  it('names the first of two entries with one value', () => {
    const value = utf8('cnry-12345678');
    const redactor = createRedactor([
      { name: 'ONE', value },
      { name: 'TWO', value },
    ]);
    expect(redactor.text('cnry-12345678').value).to.equal('[redacted:ONE]');
  });

  it('says which entries are too short, and leaves their values', () => {
    const entries = ['1234567', '1234567\n', '12345678'].map((text, index) => ({
      name: `K${index}`,
      value: utf8(text),
    }));
    const redactor = createRedactor(entries);
    expect(redactor.unscrubbable).to.deep.equal(['K0', 'K1']);
    expect(redactor.text('a 1234567 b').hits).to.equal(0);
    expect(redactor.text('a 12345678 b').hits).to.equal(1);
  });

  it('does not let a huge value push out the others, and says that it is not redacted', () => {
    const huge = new Uint8Array(1_000_000).map((_, index) => 65 + ((index * 7919) % 26));
    const redactor = createRedactor([
      { name: 'HUGE', value: huge },
      { name: 'TOKEN', value: utf8('cnry-12345678') },
    ]);
    expect(redactor.unscrubbable).to.deep.equal(['HUGE']);
    expect(redactor.text('<cnry-12345678>').value).to.equal('<[redacted:TOKEN]>');
  });

  it('returns what it was given when there is no entry', () => {
    const redactor = createRedactor([]);
    const bytes = utf8('text');
    expect(redactor.bytes(bytes).value).to.equal(bytes);
    expect(redactor.bytes(bytes).hits).to.equal(0);
    expect(redactor.text('text')).to.deep.equal({ value: 'text', hits: 0 });
    expect(redactor.json(['text'])).to.deep.equal({ value: ['text'], hits: 0 });
  });

  it('changes nothing beside a value', () => {
    const redactor = createRedactor([{ name: 'K', value: utf8('cnry-12345678') }]);
    expect(redactor.text('\ufeffcnry-12345678\ufeff\u0000').value).to.equal('\ufeff[redacted:K]\ufeff\u0000');
    // Half of a character has no bytes, so a text with it is only read.
    expect(redactor.text('\ud800 %41')).to.deep.equal({ value: '\ud800 %41', hits: 0 });
  });

  it('takes two encodings off, and one off a text over 256 KiB', () => {
    const redactor = createRedactor([{ name: 'K', value: utf8('cnry-12345678') }]);
    const [once, twice] = ['cnry%2d12345678', 'cnry%252d12345678'];
    for (const length of [20, 4096, 4097, 262_144]) {
      expect(redactor.text(padded(once, length)).hits, `${length}`).to.equal(1);
      expect(redactor.text(padded(twice, length)).hits, `${length}`).to.equal(1);
    }
    expect(redactor.text(padded(once, 262_145)).hits).to.equal(1);
    expect(redactor.text(padded(twice, 262_145)).hits).to.equal(0);
    expect(redactor.text('cnry%25252d12345678').hits).to.equal(0);
  });

  it('puts no character into a marker that could end a string', () => {
    const redactor = createRedactor([{ name: 'a"\\\n]<', value: utf8('cnry-12345678') }]);
    expect(redactor.text('cnry-12345678').value).to.equal('[redacted:a_____]');
  });
});

describe('createRedactor (properties)', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 8, maxLength: 14 });
  const texts = fc
    .array(fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b', 'c') }), word))
    .map((parts) => parts.join(''));

  it('removes exactly the bytes of all occurrences, however they overlap', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), texts, (secrets, text) => {
        const redactor = createRedactor(secrets.map((secret, index) => ({ name: `k${index}`, value: utf8(secret) })));
        const covered = Array.from(text, () => false);
        // Values of 12 characters and more are also found backwards.
        const backwards = secrets
          .filter((secret) => secret.length >= 12)
          .map((secret) => Array.from(secret).toReversed().join(''));
        for (const secret of [...secrets, ...backwards]) {
          for (let from = text.indexOf(secret); from >= 0; from = text.indexOf(secret, from + 1)) {
            covered.fill(true, from, from + secret.length);
          }
        }
        const rest = Array.from(text)
          .filter((_, index) => covered[index] !== true)
          .join('');
        expect(redactor.text(text).value.replaceAll(/\[redacted:k\d\]/g, '')).to.equal(rest);
      }),
    );
  });

  it('finds any value anywhere in any text, in each way of reading', () => {
    const value = fc.string({ unit: 'binary', minLength: 8, maxLength: 40 }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(value, fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (secret, before, after) => {
        const redactor = createRedactor([{ name: 'K', value: utf8(secret) }]);
        const text = before.toWellFormed() + secret + after.toWellFormed();
        const clean = redactor.text(text).value;
        expect(clean).to.contain('[redacted:K]');
        expect(binary(redactor.bytes(utf8(text)).value)).to.equal(binary(utf8(clean)));
        expect(redactor.json({ [text]: [text] }).value).to.deep.equal({ [clean]: [clean] });
      }),
    );
  });

  it('leaves a text without a value exactly as it is', () => {
    const redactor = createRedactor([{ name: 'K', value: utf8('cnry-Xn2f8Q0bM4sKq9RtVw7YzA1c') }]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(redactor.text(text)).to.deep.equal({ value: text, hits: 0 });
        const bytes = utf8(text);
        expect(redactor.bytes(bytes).value).to.equal(bytes);
      }),
    );
  });
});
