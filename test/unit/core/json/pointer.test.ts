import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { lookup, parsePointer } from '../../../../core/json/pointer.ts';

// RFC 6901 §5.
const DOCUMENT: JsonValue = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

const at = (pointer: string): JsonValue | undefined => lookup(DOCUMENT, parsePointer(pointer) ?? ['not a pointer']);

describe('lookup of a parsed pointer', () => {
  const rows: readonly (readonly [pointer: string, expected: JsonValue | undefined])[] = [
    ['', DOCUMENT],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/foo/2', undefined],
    ['/foo/-', undefined],
    ['/foo/01', undefined],
    ['/foo/-1', undefined],
    ['/foo/1e0', undefined],
    ['/foo/length', undefined],
    ['/foo/0/0', undefined],
    ['/nothing/below', undefined],
    ['/constructor', undefined],
    ['/__proto__', undefined],
    ['/toString/name', undefined],
  ];
  for (const [pointer, expected] of rows) {
    it(`finds ${expected === undefined ? 'nothing' : 'the value'} at ${JSON.stringify(pointer)}`, () => {
      expect(at(pointer)).to.deep.equal(expected);
    });
  }
});

describe('parsePointer', () => {
  for (const pointer of ['foo', '#/foo', '/~', '/~2', '/a~', '/a/~x']) {
    it(`refuses ${pointer}`, () => expect(parsePointer(pointer)).to.equal(undefined));
  }

  it('undoes the escapes in the right order: ~01 is ~1, not /', () => {
    expect(parsePointer('/~01/~10')).to.deep.equal(['~1', '/0']);
  });

  it('reads back any tokens', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'é', '\n') })), (tokens) => {
        const pointer = tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
        expect(parsePointer(pointer)).to.deep.equal(tokens);
      }),
    );
  });
});
