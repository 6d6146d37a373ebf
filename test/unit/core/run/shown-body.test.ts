import { expect } from 'chai';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import { shownBody } from '../../../../core/run/shown-body.ts';

const SECRET = String.raw`tok"en\/of a <test>`;
const redactor = createRedactor([{ name: 'TOKEN', value: new TextEncoder().encode(SECRET) }]);
const shown = (text: string): string | undefined => shownBody(new TextEncoder().encode(text), redactor);
const units = (text: string): string =>
  Array.from(text, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('shownBody', () => {
  const hidden: readonly (readonly [string, string, string])[] = [
    ['text', `bad ${SECRET}.`, 'bad [redacted:TOKEN].'],
    ['JSON', JSON.stringify({ e: SECRET }), '{"e":"[redacted:TOKEN]"}'],
    ['a JSON key', JSON.stringify({ [SECRET]: 1 }), '{"[redacted:TOKEN]":1}'],
    [
      'JSON in JSON',
      JSON.stringify({ e: JSON.stringify({ said: SECRET }) }),
      String.raw`{"e":"{\"said\":\"[redacted:TOKEN]\"}"}`,
    ],
    ['JSON with every letter escaped', `{"e":"${units(SECRET)}"}`, '{"e":"[redacted:TOKEN]"}'],
    ['a JSON string alone', JSON.stringify(JSON.stringify(SECRET)), String.raw`"\"[redacted:TOKEN]\""`],
    [
      'JSON in JSON, cut off',
      JSON.stringify({ e: JSON.stringify({ said: SECRET }) }).slice(0, -1),
      String.raw`{"e":"{\"said\":\"[redacted:TOKEN]\"}"`,
    ],
    ['escaped letters in text', `bad ${units(SECRET)}.`, 'bad [redacted:TOKEN].'],
  ];
  for (const [why, body, expected] of hidden) {
    it(`hides a secret in ${why}`, () => expect(shown(body)).to.equal(expected));
  }

  const kept: readonly (readonly [string, string])[] = [
    ['JSON', '{ "n": 12345678901234567890, "n": 1.0, "t": "\\u0041" }'],
    ['text with backslashes', String.raw`C:\new\u0041 "x"`],
    ['a number', '1e400'],
    ['nothing', ''],
  ];
  for (const [why, body] of kept) {
    it(`shows as it came what holds no secret: ${why}`, () => expect(shown(body)).to.equal(body));
  }

  const unreadable: readonly (readonly [string, Uint8Array])[] = [
    ['UTF-16', Buffer.from(SECRET, 'utf16le')],
    ['bytes that are no UTF-8', Uint8Array.of(0xff, 0x41)],
  ];
  for (const [why, body] of unreadable) {
    it(`shows nothing of ${why}`, () => expect(shownBody(body, redactor)).to.equal(undefined));
  }

  it('reads an escaped name as it is, whatever body came before (nodejs/node #63785)', () => {
    shown(String.raw`{"name":1,"\":"x"}`);
    expect(shown(`{"name":1,"\u0062":${JSON.stringify(SECRET)}}`)).to.equal('{"name":1,"b":"[redacted:TOKEN]"}');
  });

  it('shows 4096 bytes at most, cut after the secrets are gone', () => {
    const text = shown(`${'x'.repeat(4090)}${SECRET}${'y'.repeat(5000)}`);
    expect(text).to.equal(`${'x'.repeat(4090)}[redac`);
  });
});
