import { expect } from 'chai';
import fc from 'fast-check';
import { jcs } from '../../../../core/json/jcs.ts';
import { jcsSteps } from '../../../../core/steps/jcs-steps.ts';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { toEnd } from '../../../../core/steps/steps.ts';
import { inPieces } from '../../../support/pieces.ts';

const PIECE = 65_536;

const isJson = (value: unknown): value is JsonValue => value !== undefined;

const nested = (levels: number, value: JsonValue): JsonValue =>
  Array.from({ length: levels }).reduce<JsonValue>((inner) => ({ b: [inner], a: 1 }), value);

const piecesOf = (value: JsonValue): number => inPieces(jcsSteps(value)).pieces;

describe('jcsSteps', () => {
  it('writes what jcs writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12, stringUnit: 'grapheme' }), (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        if (!isJson(parsed)) throw new Error('no JSON');
        expect(toEnd(jcsSteps(parsed))).to.equal(jcs(parsed));
      }),
    );
    expect(toEnd(jcsSteps(nested(20, '10')))).to.equal(jcs(nested(20, '10')));
  });

  const halves: readonly (readonly [where: string, value: JsonValue])[] = [
    ['a value', '\ud800'],
    ['a name', { '\ud800': 1 }],
    ['a list in a list', [['\ud800']]],
  ];
  for (const [where, value] of halves) {
    it(`refuses half a character in ${where}`, () => expect(() => toEnd(jcsSteps(value))).to.throw(TypeError));
  }

  const texts = Array.from({ length: 10 }, () => 'x'.repeat(PIECE));
  const members = Object.fromEntries(texts.entries());
  const documents: readonly (readonly [what: string, value: JsonValue, pieces: number])[] = [
    ['a small document', { a: [1, 2, 3] }, 1],
    ['a list', texts, 11],
    ['an object', members, 11],
    ['an object inside seven others', [[[[[[[members]]]]]]], 11],
    ['an object below eight others', [[[[[[[[members]]]]]]]], 2],
    ['many small values', Array.from({ length: PIECE }, () => 1), 17],
    ['many names', Object.fromEntries(Array.from({ length: 8192 }, (_, at) => [`name ${at}`, 1])), 6],
    ['many empty objects', Object.fromEntries(Array.from({ length: 8192 }, (_, at) => [`name ${at}`, {}])), 6],
  ];
  for (const [what, value, pieces] of documents) {
    it(`writes ${what} in ${pieces} pieces`, () => expect(piecesOf(value)).to.equal(pieces));
  }
});
