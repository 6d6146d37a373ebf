import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { jcs } from '../../../../core/json/jcs.ts';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';

const isJson = (value: unknown): value is JsonValue => value !== undefined;

function json(text: string): JsonValue {
  const value: unknown = JSON.parse(text);
  if (!isJson(value)) throw new Error('no JSON');
  return value;
}

const anyJson = fc.json({ stringUnit: 'binary', maxDepth: 6 }).map(json);

function shuffled(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, shuffled(member)]),
  );
}

describe('jcs', () => {
  const rows: readonly (readonly [why: string, text: string, expected: string])[] = [
    ['sorts members by UTF-16 code units, not code points', '{"\\ufb33":1,"\\ud83d\\ude00":2}', '{"😀":2,"\ufb33":1}'],
    ['sorts numerals as text', '{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}'],
    ['sorts in depth', '{"b":[{"d":1,"c":2}],"a":{}}', '{"a":{},"b":[{"c":2,"d":1}]}'],
    ['leaves the order of arrays', '[3,1,2]', '[3,1,2]'],
    ['writes minus zero as zero', '[-0,-0.0]', '[0,0]'],
    [
      'takes the shortest form of a number',
      '[1e21,1E20,0.0000001,333333333.33333329]',
      '[1e+21,100000000000000000000,1e-7,333333333.3333333]',
    ],
    [
      'escapes what JSON demands and nothing else',
      '"\\u0000\\u001f\\u007f\\u2028\\/\\"\\\\"',
      '"\\u0000\\u001f\u007f\u2028/\\"\\\\"',
    ],
    ['keeps a member named __proto__', '{"a":1,"__proto__":{"b":2}}', '{"__proto__":{"b":2},"a":1}'],
    ['keeps an empty name', '{"":0}', '{"":0}'],
    ['takes a bare value', 'null', 'null'],
  ];
  for (const [why, text, expected] of rows) it(why, () => expect(jcs(json(text))).to.equal(expected));

  const refusals: readonly (readonly [why: string, value: JsonValue])[] = [
    ['a lone high surrogate', ['\ud800']],
    ['a lone low surrogate in a name', { '\udc00': 1 }],
    ['infinity, as JSON.parse makes it of 1e400', json('[1e400]')],
    ['NaN', [Number.NaN]],
  ];
  for (const [why, value] of refusals) it(`refuses ${why}`, () => expect(() => jcs(value)).to.throw(TypeError));

  it('refuses members that JSON does not have, and drops none of them', () => {
    const value: unknown = { a: undefined };
    expect(() => jcs(isJson(value) ? value : null)).to.throw(TypeError);
  });

  it('gives the text of an independent implementation for any JSON', () => {
    fc.assert(fc.property(anyJson, (value) => void expect(jcs(value)).to.equal(canonicalize(value))));
  });

  it('does not depend on the order of members, and parses back to an equal text', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = jcs(value);
        expect(jcs(shuffled(value))).to.equal(text);
        expect(jcs(json(text))).to.equal(text);
      }),
    );
  });
});
