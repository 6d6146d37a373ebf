import { expect } from 'chai';
import fc from 'fast-check';
import { retryAfterMs } from '../../../../core/attempts/retry-after.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');

describe('retryAfterMs (RFC 9110 §10.2.3)', () => {
  const rows: readonly [why: string, text: string, expected: number | undefined][] = [
    ['seconds', '2', 2000],
    ['no seconds', '0', 0],
    ['blanks around', ' 7 ', 7000],
    ['five minutes', '300', 300_000],
    ['an hour', '3600', 3_600_000],
    ['more than an hour', '86400', 3_600_000],
    ['more seconds than there are', '9999999999', 3_600_000],
    ['a date', 'Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['a date that has passed', 'Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['a date far ahead', 'Sat, 20 Nov 2027 10:00:00 GMT', 3_600_000],
    ['a date that is none', 'Fri, 99 Nov 2026 10:00:30 GMT', undefined],
    ['a date of another form', '2026-11-20T10:00:30Z', undefined],
    ['a date that only looks like one to a lenient parser', 'soon 2027', undefined],
    ['a fraction', '1.5', undefined],
    ['a negative number', '-1', undefined],
    ['an exponent', '1e3', undefined],
    ['nothing', '', undefined],
    ['words', 'later', undefined],
  ];
  for (const [why, text, expected] of rows) {
    it(`reads ${why}: ${String(expected)}`, () => expect(retryAfterMs(text, NOW)).to.equal(expected));
  }

  it('is at most an hour, or nothing, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), fc.double({ noNaN: true, min: 0, max: 4e12 }), (text, now) => {
        expect(retryAfterMs(text, now) ?? 0).to.be.within(0, 3_600_000);
      }),
    );
  });
});
