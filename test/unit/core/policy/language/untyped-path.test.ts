import { expect } from 'chai';
import fc from 'fast-check';
import {
  BoundValues,
  compileUntyped,
  type UntypedExpression,
} from '../../../../../core/policy/language/compile-untyped.ts';
import type { JsonObject, JsonValue } from '../../../../../core/json/json-value.ts';

function compiled(source: string): UntypedExpression {
  const result = compileUntyped(source, { roots: ['payload', 'item'], units: 20_000, pointer: '' });
  if (!result.ok) throw new Error(result.finding.detail);
  return result.expression;
}

const names = fc.constantFrom('a', 'b', 'size', 'in_x', 'toString');
const values: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, true, 0, -1.5, 1e300, 'text', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('a plain path', () => {
  it('gives what the evaluator gives', () => {
    fc.assert(
      fc.property(values, fc.array(names, { maxLength: 4 }), (payload, path) => {
        const source = ['payload', ...path].join('.');
        const bound = new BoundValues({ payload });
        // Parentheses are gone in the tree; a condition that is always true is evaluated.
        const expected = compiled(`true ? ${source} : ${source}`).evaluate(bound);
        expect(compiled(source).evaluate(bound)).to.deep.equal(expected);
      }),
    );
  });

  it('is also chosen by what is present', () => {
    const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((path) => ['payload', ...path].join('.'));
    const parts = fc.oneof(paths, fc.constantFrom('"A"', '""'));
    fc.assert(
      fc.property(values, paths, paths, parts, parts, parts, (payload, one, other, ...[first, second, third]) => {
        const source = `has(${one}) ? ${first} : has(${other}) ? ${second} : ${third}`;
        const bound = new BoundValues({ payload });
        const expected = compiled(`true ? (${source}) : ${third}`).evaluate(bound);
        expect(compiled(source).evaluate(bound)).to.deep.equal(expected);
      }),
      { numRuns: 1000 },
    );
  });

  const ROWS: readonly [why: string, source: string, payload: JsonObject, expected: JsonValue | undefined][] = [
    ['a name of a prototype', 'payload.constructor', {}, undefined],
    ['a member of a text', 'payload.a.length', { a: 'abc' }, undefined],
    ['a number that is not finite', 'payload.a', { a: Number.POSITIVE_INFINITY }, undefined],
    ['a text that is too long', 'payload.a', { a: 'x'.repeat(20_000) }, 'x'.repeat(16_384)],
  ];
  for (const [why, source, payload, expected] of ROWS)
    it(`that names ${why} gives ${expected === undefined ? 'nothing' : 'its beginning'}`, () => {
      expect(compiled(source).evaluate(new BoundValues({ payload }))).to.equal(expected);
    });

  it('finds inner roots beside outer ones', () => {
    const bound = new BoundValues({ item: { a: 1 } }, new BoundValues({ payload: { a: 2 } }));
    expect(compiled('item.a').evaluate(bound)).to.equal(1);
    expect(compiled('payload.a + item.a').evaluate(bound)).to.equal(3);
  });
});

const list = (length: number): JsonObject => ({ a: Array.from({ length }, () => 1) });

describe('an expression without types', () => {
  it('sees the first 500 items of a list', () => {
    const bound = new BoundValues({ payload: list(501) });
    expect(compiled('payload.a.map(x, x)').evaluate(bound)).to.have.length(500);
    expect(compiled('payload.a').evaluate(bound)).to.have.length(501);
  });

  it('gives nothing in place of more than 2 000 values', () => {
    const bound = new BoundValues({ payload: list(400) });
    const four = '[payload.a, payload.a, payload.a, payload.a]';
    expect(compiled(four).evaluate(bound)).to.have.length(4);
    expect(compiled(`${four} + [payload.a]`).evaluate(bound)).to.equal(undefined);
  });
});
