import { expect } from 'chai';
import { jsonEqual } from '../../../../adapters/kube/json-equal.ts';

describe('jsonEqual', () => {
  const rows: readonly (readonly [string, unknown, unknown, boolean])[] = [
    ['members in another order', { a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
    ['items in another order', [1, 2], [2, 1], false],
    ['an undefined member and none', { a: 1, b: undefined }, { a: 1 }, true],
    ['null and no member', { a: null }, {}, false],
    ['an undefined member where the other has one', { a: undefined }, { a: 1 }, false],
    ['members of the same number but other names', { a: 1 }, { b: 1 }, false],
    ['an inherited name', { toString: 1 }, {}, false],
    ['a list and an object with the same entries', ['x'], { 0: 'x' }, false],
    ['an empty list and an empty object', [], {}, false],
    ['a list and a longer one', [1], [1, 2], false],
    ['a number and its text', 1, '1', false],
    ['another prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }, true],
  ];
  for (const [why, one, other, expected] of rows) {
    it(`${expected ? 'does not tell apart' : 'tells apart'}: ${why}`, () => {
      expect([jsonEqual(one, other), jsonEqual(other, one)]).to.deep.equal([expected, expected]);
    });
  }
});
