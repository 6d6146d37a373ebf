import { expect } from 'chai';
import fc from 'fast-check';
import { QueryReader } from '../../../../api-server/http/query.ts';

const KNOWN = ['n', 't', 'w'];
const isWord = (text: string): text is 'a' | 'b' => text === 'a' || text === 'b';

function read(query: string): unknown {
  const reader = new QueryReader(new URLSearchParams(query), KNOWN);
  const value = { n: reader.integer('n', 1, 200), t: reader.time('t'), w: reader.text('w', isWord, 'a or b') };
  const result = reader.result(value);
  return result.ok ? result.value : result.errors.map(({ parameter, code }) => `${parameter ?? ''}:${code}`);
}

describe('QueryReader', () => {
  const absent = { n: undefined, t: undefined, w: undefined };
  const rows: [string, string, unknown][] = [
    ['nothing given', '', absent],
    ['smallest', 'n=1', { ...absent, n: 1 }],
    ['largest', 'n=200', { ...absent, n: 200 }],
    ['below', 'n=0', ['n:parameter-malformed']],
    ['above', 'n=201', ['n:parameter-malformed']],
    ['leading zero', 'n=01', ['n:parameter-malformed']],
    ['empty', 'n=', ['n:parameter-malformed']],
    ['exponent', 'n=1e2', ['n:parameter-malformed']],
    ['a sign', 'n=-1', ['n:parameter-malformed']],
    ['twice', 'n=1&n=1', ['n:parameter-twice']],
    ['unknown, not repeated', 'limits=1', [':parameter-unknown']],
    ['a time', 't=2026-11-20T10:00:00Z', { ...absent, t: 1_795_168_800_000 }],
    ['a time with milliseconds', 't=2026-11-20T10:00:00.250Z', { ...absent, t: 1_795_168_800_250 }],
    ['a time without zone', 't=2026-11-20T10:00:00', ['t:parameter-malformed']],
    ['a day that does not exist', 't=2026-02-30T10:00:00Z', ['t:parameter-malformed']],
    ['a number as time', 't=1795168800000', ['t:parameter-malformed']],
    ['a word', 'w=a', { ...absent, w: 'a' }],
    ['another word', 'w=c', ['w:parameter-malformed']],
    [
      'all that is wrong at once',
      'n=x&t=x&w=x',
      ['n:parameter-malformed', 't:parameter-malformed', 'w:parameter-malformed'],
    ],
  ];
  for (const [why, query, expected] of rows) {
    it(why, () => expect(read(query)).to.deep.equal(expected));
  }

  it('says which needed parameter is missing', () => {
    const reader = new QueryReader(new URLSearchParams(), ['size']);
    reader.needed('size', 1, 7);
    expect(reader.result(0)).to.have.nested.property('errors[0].code', 'parameter-missing');
  });

  it('reads back every integer within the bounds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (n) => {
        expect(read(`n=${n}`)).to.have.property('n', n);
      }),
    );
  });
});
