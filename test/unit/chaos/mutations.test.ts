import { expect } from 'chai';
import { mutate, mutationsOf } from '../../chaos/operator/mutations.ts';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 3 },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    mode: { type: 'string', enum: ['soft', 'hard'] },
    parts: { type: 'object', additionalProperties: { type: 'boolean' } },
  },
};
const base = { name: 'ab', count: 2, parts: { left: true } };
const values = (pointer: string): readonly unknown[] =>
  mutationsOf(schema, base)
    .filter((mutation) => mutation.pointer === pointer)
    .map(({ value }) => value);

describe('mutations', () => {
  it('tries absence, null, both bounds and one beyond, a wrong type, the empty value and unicode', () => {
    expect(values('/name')).to.include.members([undefined, null, 'a', 'aa', 'aaa', 'aaaa', 7, '']);
    expect(values('/count')).to.include.members([1, 0, 5, 6, 'seven']);
    expect(values('/name').some((value) => typeof value === 'string' && /[^\u0020-\u007e]/.test(value))).to.equal(true);
  });

  it('tries each listed value', () => expect(values('/mode')).to.include.members(['soft', 'hard']));

  it('goes into the members of a map that the base has', () => {
    expect(values('/parts/left')).to.include.members([undefined, 'true']);
  });

  it('changes one field and leaves the base as it was', () => {
    expect(mutate(base, { pointer: '/parts/left', value: 1 })).to.deep.equal({
      name: 'ab',
      count: 2,
      parts: { left: 1 },
    });
    expect(mutate(base, { pointer: '/count', value: undefined })).to.deep.equal({ name: 'ab', parts: { left: true } });
    expect(base).to.deep.equal({ name: 'ab', count: 2, parts: { left: true } });
  });
});
