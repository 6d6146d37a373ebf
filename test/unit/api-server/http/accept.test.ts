import { expect } from 'chai';
import fc from 'fast-check';
import { negotiate } from '../../../../api-server/http/accept.ts';

const JSON_TYPE = 'application/json';
const JOSE = 'application/jose';
const BUNDLE = 'application/vnd.orb.bundle+json';
const OFFERED = [JSON_TYPE, JOSE, BUNDLE] as const;

describe('negotiate', () => {
  const rows: [string, string | undefined, string | undefined][] = [
    ['no header: the first', undefined, JSON_TYPE],
    ['an empty header: the first', '', JSON_TYPE],
    ['everything: the first', '*/*', JSON_TYPE],
    ['one type', JOSE, JOSE],
    ['case and space do not matter', ' Application/JOSE ; q=0.1 ', JOSE],
    ['the higher weight', `${JSON_TYPE};q=0.5, ${BUNDLE};q=0.8`, BUNDLE],
    ['equal weights: the order offered', `${BUNDLE}, ${JOSE}`, JOSE],
    ['a type before its range', `application/*;q=0.9, ${JSON_TYPE};q=0.1`, JOSE],
    ['a range before everything', `*/*, application/*;q=0`, undefined],
    ['weight 0 excludes', `*/*, ${JSON_TYPE};q=0`, JOSE],
    ['everything with weight 0', '*/*;q=0', undefined],
    ['another type', 'text/html', undefined],
    ['another type, or anything', 'text/html, */*;q=0.1', JSON_TYPE],
    ['a parameter is not looked at', `${JOSE};charset=utf-8;q=0.3`, JOSE],
    ['a charset of JSON is not looked at', `${JSON_TYPE};charset=utf-8`, JSON_TYPE],
    ['a malformed weight drops the element', `${JOSE};q=2, ${BUNDLE};q=0.2`, BUNDLE],
    ['a weight of four digits is malformed', `${JOSE};q=0.1234`, undefined],
    ['text/* is no range of these', 'text/*', undefined],
  ];
  for (const [why, header, expected] of rows) {
    it(why, () => expect(negotiate(header, OFFERED)).to.equal(expected));
  }

  it('chooses something offered or nothing, whatever the header says', () => {
    const parts = fc.constantFrom(...OFFERED, '*/*', 'application/*', ';q=', '0.5', '1', ',', ';', ' ', 'x/y', '=');
    fc.assert(
      fc.property(fc.array(parts), (header) => {
        expect([...OFFERED, undefined]).to.include(negotiate(header.join(''), OFFERED));
      }),
    );
  });
});
