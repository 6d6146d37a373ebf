import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { newApiKey, parseApiKey } from '../../../../core/api-key/format.ts';

const random = (bytes: number): Uint8Array => randomBytes(bytes);
const BODY = 'orb_Ab3dEf6h_0123456789ABCDEFGHIJKLMNOPQRSTUV';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 of zlib, written in base62 by hand. */
const withCrc = (body: string): string => {
  let text = '';
  let value = BigInt(crc32(body));
  for (let index = 0; index < 6; index += 1) {
    text = DIGITS.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return `${body}_${text}`;
};
const GOOD = withCrc(BODY);

describe('parseApiKey', () => {
  it('takes shape and CRC-32 of the public definition', () => {
    expect(parseApiKey(GOOD)).to.deep.equal({ keyId: 'Ab3dEf6h', text: GOOD });
  });

  const swapped = `${GOOD.slice(0, 20)}${GOOD.charAt(21)}${GOOD.charAt(20)}${GOOD.slice(22)}`;
  const rows: readonly (readonly [string, string])[] = [
    ['an empty text', ''],
    ['another prefix', GOOD.replace('orb_', 'org_')],
    ['an upper-case prefix', GOOD.replace('orb_', 'ORB_')],
    ['a wrong CRC', `${GOOD.slice(0, -1)}${GOOD.endsWith('0') ? '1' : '0'}`],
    ['no CRC', BODY],
    ['two exchanged characters', swapped],
    ['a short key id', withCrc('orb_Ab3dEf6_0123456789ABCDEFGHIJKLMNOPQRSTUV')],
    ['a long secret', withCrc(`${BODY}W`)],
    ['a character outside base62', withCrc(BODY.replace('U', '-'))],
    ['a newline at the end', `${GOOD}\n`],
    ['a space in front', ` ${GOOD}`],
    ['two keys', `${GOOD}${GOOD}`],
  ];
  for (const [why, text] of rows) {
    it(`refuses ${why}`, () => {
      expect(parseApiKey(text)).to.equal(undefined);
    });
  }

  it('notices every single changed character', () => {
    fc.assert(
      fc.property(fc.nat(GOOD.length - 1), fc.constantFrom(...DIGITS.split('')), (index, digit) => {
        fc.pre(GOOD.charAt(index) !== digit);
        expect(parseApiKey(GOOD.slice(0, index) + digit + GOOD.slice(index + 1))).to.equal(undefined);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseApiKey(text)).to.equal(undefined);
      }),
    );
  });
});

describe('newApiKey', () => {
  it('makes keys that scanners know and that parse', () => {
    for (let round = 0; round < 100; round += 1) {
      const { keyId, text } = newApiKey(random);
      expect(text).to.match(/^orb_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
      expect(parseApiKey(text)).to.deep.equal({ keyId, text });
    }
  });

  it('rejects bytes that would favour the first digits', () => {
    let calls = 0;
    const source = (bytes: number): Uint8Array => {
      calls += 1;
      return new Uint8Array(bytes).fill(calls % 2 === 1 ? 248 : 61);
    };
    const { text } = newApiKey(source);
    expect(text.slice(0, 46)).to.equal(`orb_zzzzzzzz_${'z'.repeat(32)}_`);
  });

  it('uses every digit about equally often', () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2000; round += 1) {
      for (const digit of newApiKey(random).text.slice(13, 45)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts.size).to.equal(62);
    // 1032 expected, standard deviation 32: eight of them is never.
    for (const count of counts.values()) expect(count).to.be.within(776, 1288);
  });
});
