import { expect } from 'chai';
import { nextOrigin, isLaterOrigin } from '../../../../core/merkle/log-origin.ts';

describe('nextOrigin', () => {
  const rows: readonly [string, string, string | undefined][] = [
    ['the first log', 'orbs.example/log', 'orbs.example/log-2'],
    ['a later one', 'orbs.example/log-2', 'orbs.example/log-3'],
    ['two digits', 'orbs.example:8443/log-9', 'orbs.example:8443/log-10'],
    ['a number that no log has', 'orbs.example/log-1', undefined],
    ['a leading zero', 'orbs.example/log-02', undefined],
    ['another path', 'orbs.example/tree', undefined],
    ['nothing', '', undefined],
    ['a second line', 'orbs.example/log\n2', undefined],
  ];
  for (const [why, origin, next] of rows) it(why, () => expect(nextOrigin(origin)).to.equal(next));
});

describe('isLaterOrigin', () => {
  const rows: readonly [string, string, string, boolean][] = [
    ['the next one', 'orbs.example/log-2', 'orbs.example/log', true],
    ['a later one', 'orbs.example/log-10', 'orbs.example/log-9', true],
    ['itself', 'orbs.example/log-2', 'orbs.example/log-2', false],
    ['an earlier one', 'orbs.example/log', 'orbs.example/log-2', false],
    ['another platform', 'orbs.example/log-2', 'other.example/log', false],
    ['no log', 'orbs.example/log-2', '', false],
  ];
  for (const [why, origin, other, expected] of rows)
    it(why, () => expect(isLaterOrigin(origin, other)).to.equal(expected));
});
