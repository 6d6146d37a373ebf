import { expect } from 'chai';
import { secretBytes, singleHeader } from '../../../../../core/ingestion/verification/delivery.ts';
const of = (...headers: readonly (readonly [string, string])[]): string | undefined =>
  singleHeader({ headers, body: new Uint8Array(), pathToken: undefined }, 'X-Signature');

describe('singleHeader', () => {
  it('gives a header that stands once, in any case of letters', () => {
    expect(of(['accept', '*/*'], ['x-SIGNATURE', 'a'], ['x-signature-2', 'b'])).to.equal('a');
  });

  it('gives nothing for one that is missing or repeated, also with the same value', () => {
    expect(of(['accept', '*/*'])).to.equal(undefined);
    expect(of(['x-signature', 'a'], ['X-Signature', 'a'])).to.equal(undefined);
    expect(of(['x-signature', 'a'], ['X-Signature', 'b'], ['x-signature', 'c'])).to.equal(undefined);
  });
});

describe('secretBytes', () => {
  const rows: readonly (readonly [stored: string, secret: string | undefined])[] = [
    ['secret', 'secret'],
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['secret\n\n', 'secret\n'],
    ['secret\r', 'secret\r'],
    ['\nsecret', '\nsecret'],
    ['s', 's'],
    ['s\n', 's'],
    ['\n\n', '\n'],
    ['', undefined],
    ['\n', undefined],
    ['\r\n', undefined],
  ];
  for (const [stored, secret] of rows)
    it(`reads ${JSON.stringify(stored)} as ${secret === undefined ? 'no secret' : JSON.stringify(secret)}`, () => {
      const bytes = secretBytes(new TextEncoder().encode(stored));
      expect(bytes && new TextDecoder().decode(bytes)).to.equal(secret);
    });
});
