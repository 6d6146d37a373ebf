import { expect } from 'chai';
import { ofOneSecond, parseRateLimit } from '../../../../core/rate-limit/rate.ts';

describe('parseRateLimit', () => {
  const rows: readonly (readonly [text: string, expected: unknown])[] = [
    ['100:200', { perSecond: 100, burst: 200 }],
    ['100', { perSecond: 100, burst: 100 }],
    ['5:1', { perSecond: 5, burst: 1 }],
    ['0', 'none'],
    ['999999:9999999', { perSecond: 999_999, burst: 9_999_999 }],
    ['0:5', undefined],
    ['100:0', undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['100:', undefined],
    [':100', undefined],
    ['100:200:300', undefined],
    ['1000000', undefined],
    [' 100', undefined],
  ];
  for (const [text, expected] of rows)
    it(`reads ${JSON.stringify(text)} as ${JSON.stringify(expected)}`, () => {
      expect(parseRateLimit(text)).to.deep.equal(expected);
    });
});

describe('ofOneSecond', () => {
  it('has a burst of one second, and of one at least', () => {
    expect([ofOneSecond(50), ofOneSecond(0.5)]).to.deep.equal([
      { perSecond: 50, burst: 50 },
      { perSecond: 0.5, burst: 1 },
    ]);
  });
});
