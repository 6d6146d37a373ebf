import { hash } from 'node:crypto';
import { expect } from 'chai';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { digestOf, isDigest } from '../../../../core/json/digest.ts';

const ABC = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'; // FIPS 180-2, B.1

describe('digestOf', () => {
  it('is the published SHA-256 of "abc" as text', () => {
    expect(digestOf(encodeUtf8('abc'), (bytes) => hash('sha256', bytes, 'buffer'))).to.equal(ABC);
  });

  it('refuses a hash function of another length', () => {
    expect(() => digestOf(encodeUtf8('abc'), (bytes) => hash('sha1', bytes, 'buffer'))).to.throw(TypeError);
  });
});

describe('isDigest', () => {
  const rows: readonly (readonly [why: string, text: string, expected: boolean])[] = [
    ['accepts a digest', ABC, true],
    ['refuses upper case', ABC.toUpperCase().replace('SHA', 'sha'), false],
    ['refuses another algorithm', ABC.replace('256', '512'), false],
    ['refuses a digit less', ABC.slice(0, -1), false],
    ['refuses a line feed behind it', `${ABC}\n`, false],
  ];
  for (const [why, text, expected] of rows) it(why, () => expect(isDigest(text)).to.equal(expected));
});
