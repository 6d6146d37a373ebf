import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { compileInputs } from '../../../../core/manifest/check-inputs.ts';
import { json } from './a-manifest.ts';

const check = compileInputs({
  name: { required: true },
  count: { type: 'integer' },
  ratio: { type: 'number' },
  on: { type: 'boolean' },
  more: { type: 'object' },
  list: { type: 'array' },
});
const brief = (value: JsonValue): readonly string[] =>
  check(value).findings.map(({ code, pointer, suggestion }) =>
    [code, pointer, ...(suggestion === undefined ? [] : [suggestion])].join(' '),
  );

const rows: readonly (readonly [why: string, inputs: JsonValue, expected: readonly string[]])[] = [
  ['the required input alone', { name: 'a' }, []],
  ['every input', { name: '', count: -3, ratio: 0.5, on: false, more: { a: null }, list: [1, null] }, []],
  ['1.0 for an integer', { name: 'a', count: 1.0, ratio: 1 }, []],
  ['minus zero', { name: 'a', count: -0, ratio: -0 }, ['input-type /inputs/count', 'input-type /inputs/ratio']],
  ['minus zero with a fraction', json('{"name":"a","ratio":-0.0}'), ['input-type /inputs/ratio']],
  ['minus zero with an exponent', json('{"name":"a","ratio":-0e5}'), ['input-type /inputs/ratio']],
  [
    'minus zero deep inside',
    json('{"name":"a","list":[0,[-0.0]],"more":{"b/c":[{"d":-0e5}]}}'),
    ['input-type /inputs/more/b~1c/0/d', 'input-type /inputs/list/1/0'],
  ],
  ['a number that becomes minus zero', json('{"name":"a","list":[-1e-400]}'), ['input-type /inputs/list/0']],
  ['any well-formed text', { name: 'a\u0000\u202e😀e\u0301' }, []],
  ['no required input', {}, ['input-missing /inputs/name']],
  ['null for a required input', { name: null }, ['input-type /inputs/name']],
  ['null for an optional input', { name: 'a', count: null }, ['input-type /inputs/count']],
  ['a text for a number', { name: 'a', ratio: '1' }, ['input-type /inputs/ratio']],
  ['a fraction for an integer', { name: 'a', count: 1.5 }, ['input-type /inputs/count']],
  ['an array for an object', { name: 'a', more: [] }, ['input-type /inputs/more']],
  ['an object for an array', { name: 'a', list: {} }, ['input-type /inputs/list']],
  ['a number for a boolean', { name: 'a', on: 1 }, ['input-type /inputs/on']],
  ['an unknown input near a known one', { name: 'a', cuont: 1 }, ['input-unknown /inputs/cuont count']],
  ['an unknown input', { name: 'a', 'x/y~': 1 }, ['input-unknown /inputs/x~1y~0']],
  [
    'names of the prototype',
    json('{"name":"a","__proto__":1,"constructor":2}'),
    ['input-unknown /inputs/__proto__', 'input-unknown /inputs/constructor'],
  ],
  ['half of a surrogate pair', { name: 'a\ud800' }, ['input-not-unicode /inputs/name']],
  [
    'half of a surrogate pair deep inside',
    { name: 'a', more: { b: ['x', '\udc00'] } },
    ['input-not-unicode /inputs/more/b/1'],
  ],
  ['half of a surrogate pair in a name', { name: 'a', more: { '\udc00': 1 } }, ['input-not-unicode /inputs/more']],
  ['no object', [], ['input-type /inputs']],
  ['null', null, ['input-type /inputs']],
];

describe('compileInputs', () => {
  for (const [why, inputs, expected] of rows)
    it(`${expected.length === 0 ? 'accepts' : 'refuses'} ${why}`, () => {
      expect(brief(inputs)).to.deep.equal(expected);
    });

  it('gives the same object back', () => {
    const inputs = { name: 'a' };
    const result = check(inputs);
    expect(result.ok && result.value).to.equal(inputs);
  });

  it('takes an input named like a member of every object as missing', () => {
    const strict = compileInputs({ toString: { required: true }, constructor: { required: true } });
    expect(strict({}).findings.map(({ code }) => code)).to.deep.equal(['input-missing', 'input-missing']);
  });

  it('shows no value', () => {
    const { findings } = check({ name: 5, ratio: 's3cret', list: 's3cret' });
    expect(findings).to.have.lengthOf(3);
    expect(JSON.stringify(findings)).not.to.include('s3cret');
  });

  it('names at most 50 unknown inputs, and little of a long name', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`zz${index}`, 1]));
    expect(check({ ...many, name: 'a' }).findings).to.have.lengthOf(50);
    const [finding] = check({ name: 'a', ['x'.repeat(10_000)]: 1 }).findings;
    expect(JSON.stringify(finding).length).to.be.lessThan(200);
  });

  it('refuses minus zero wherever it stands in an input, and points at it', () => {
    const token = fc.oneof(fc.nat({ max: 3 }), fc.stringMatching(/^[a-z/~]{1,4}$/));
    const plain = fc.oneof(fc.nat(), fc.string(), fc.constant(null), fc.constant({ a: [0] }));
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 20 }), fc.array(plain), (path, before) => {
        // A number is a place in a list behind `before`, a text is a member.
        const value = path.reduceRight<JsonValue>(
          (inner, at) => (typeof at === 'number' ? [...before, inner] : { [at]: inner }),
          -0,
        );
        const pointer = path
          .map((at) => (typeof at === 'number' ? before.length : at.replaceAll('~', '~0').replaceAll('/', '~1')))
          .join('/');
        const list = { name: 'a', list: [value] };
        expect(brief(list)).to.deep.equal([`input-type /inputs/list/0/${pointer}`]);
        expect(brief(json(JSON.stringify(list)))).to.deep.equal([]);
      }),
    );
  });

  it('accepts exactly the objects whose members all are declared and of their type', () => {
    const good = fc.record({ name: fc.string({ unit: 'grapheme' }) }, { requiredKeys: ['name'] });
    fc.assert(
      fc.property(
        good,
        fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
        (inputs, extra) => {
          const strict = compileInputs({ name: { required: true } });
          expect(strict(inputs).ok).to.equal(true);
          const others = Object.keys(extra).filter((name) => name !== 'name');
          expect(strict({ ...extra, ...inputs }).ok).to.equal(others.length === 0);
        },
      ),
    );
  });
});
