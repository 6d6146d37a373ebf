import { expect } from 'chai';
import { listAt, member, objectAt } from '../../../../core/json/members.ts';

const value = { text: 'a', nothing: null, list: [1], object: { b: 2 } };

describe('member', () => {
  const rows: readonly (readonly [string, unknown, string, unknown])[] = [
    ['a member', value, 'text', 'a'],
    ['null as it stands there', value, 'nothing', null],
    ['no member that is not there', value, 'other', undefined],
    ['no inherited member', value, 'constructor', undefined],
    ['no member of a list', [1], 'length', undefined],
    ['no member of null', null, 'text', undefined],
    ['no member of a text', 'text', 'length', undefined],
  ];
  for (const [what, of, name, expected] of rows)
    it(`gives ${what}`, () => {
      expect(member(of, name)).to.equal(expected);
    });
});

describe('objectAt and listAt', () => {
  it('give the member where it is of that kind', () => {
    expect(objectAt(value, 'object')).to.deep.equal({ b: 2 });
    expect(listAt(value, 'list')).to.deep.equal([1]);
  });

  it('give an empty one for everything else', () => {
    for (const name of ['text', 'nothing', 'other', 'list']) expect(objectAt(value, name)).to.deep.equal({});
    for (const name of ['text', 'nothing', 'other', 'object']) expect(listAt(value, name)).to.deep.equal([]);
  });
});
