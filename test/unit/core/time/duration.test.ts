import { expect } from 'chai';
import { parseDuration } from '../../../../core/time/duration.ts';

describe('parseDuration', () => {
  const rows: readonly [string, string, number | undefined][] = [
    ['seconds', '45s', 45_000],
    ['minutes', '30m', 1_800_000],
    ['hours', '2h', 7_200_000],
    ['days', '90d', 7_776_000_000],
    ['no unit', '90', undefined],
    ['an unknown unit', '1w', undefined],
    ['zero', '0s', undefined],
    ['a sign', '-1h', undefined],
    ['a fraction', '1.5h', undefined],
    ['a space', '1 h', undefined],
    ['more digits than a date can hold', '9999999999d', undefined],
    ['an inherited name as unit', '1constructor', undefined],
    ['milliseconds, which are for flags that name them', '500ms', undefined],
    ['nothing', '', undefined],
  ];
  for (const [why, text, expected] of rows) it(`reads ${why}`, () => expect(parseDuration(text)).to.equal(expected));

  it('takes the units that it is given, and no other', () => {
    expect(parseDuration('500ms', ['ms', 's'])).to.equal(500);
    expect(parseDuration('2h', ['ms', 's'])).to.equal(undefined);
  });
});
