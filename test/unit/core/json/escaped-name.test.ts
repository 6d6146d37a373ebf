import { expect } from 'chai';
import fc from 'fast-check';
import { mayEscapeNames } from '../../../../core/json/escaped-name.ts';
import { readBody } from '../../../../core/run/response-body.ts';
import { readPayload } from '../../../../core/receipt/payload.ts';
import { growth, IN_PROPORTION } from '../../../support/cost.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string): unknown => {
  const body = readBody(bytes(text), 'application/json');
  return body.ok ? body.body : 'refused';
};

describe('mayEscapeNames (nodejs/node #63785)', () => {
  const rows: readonly [string, string, boolean][] = [
    ['a name that is a backslash', '{"a":1,"\\\\":2}', true],
    ['a name with an escaped quote', '{"\\"":2}', true],
    ['a name with a Unicode escape in its middle', '{"a\\u0062c" \n: 1}', true],
    ['a name with two backslashes before its end', '{"x\\\\\\\\":1}', true],
    ['no escape at all', '{"a":1,"b":[]}', false],
    ['an escape in a value', '{"a":"\\n\\"","b":"\\\\"}', false],
    ['an escape in a value of a list', '["\\\\","b"]', false],
  ];
  for (const [why, text, expected] of rows) {
    it(`${expected ? 'sees' : 'does not mind'} ${why}`, () => expect(mayEscapeNames(text)).to.equal(expected));
  }

  it('sees every escaped name of any JSON', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é', ' ', ':') });
    const json = fc.dictionary(name, fc.oneof(name, fc.constant(1), fc.dictionary(name, name)), {
      noNullPrototype: true,
    });
    const names = (value: unknown): string[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([own, inner]) => [own, ...names(inner)])
        : [];
    fc.assert(
      fc.property(json, (value) => {
        if (names(value).some((own) => JSON.stringify(own).includes('\\')))
          expect(mayEscapeNames(JSON.stringify(value))).to.equal(true);
      }),
    );
  });

  it('takes time in proportion to the text', () => {
    for (const piece of ['\\\\', '"\\', '\\"', '\\n" ', ' ']) {
      const grow = (size: number): (() => void) => {
        const text = `\\a"${piece.repeat(size)}`;
        return () => void mayEscapeNames(text);
      };
      expect(growth(4000, grow), piece).to.be.below(IN_PROPORTION);
    }
  });
});

describe('names with escapes in the body of a provider', () => {
  it('come out as they are, and leave later parsers of the process right', () => {
    const first = 'of_this_test_alone';
    expect(read(`{"${first}":1,"\\\\":2}`)).to.deep.equal({ [first]: 1, '\\': 2 });
    expect(JSON.parse(`{"${first}":1,"\\n":2}`)).to.deep.equal({ [first]: 1, '\n': 2 });
    expect(read(`{"${first}":1,"\\u0062":2}`)).to.deep.equal({ [first]: 1, b: 2 });
  });

  const rows: readonly [string, string, unknown][] = [
    ['a member twice: the last one, as JSON.parse has it', '{"\\n":1,"\\u000a":2}', { '\n': 2 }],
    ['an own __proto__', '{"\\u005f_proto__":1}', JSON.parse('{"__proto__":1}')],
    [
      'an integer that no double holds as absent',
      '{"\\n":12345678901234567890,"b":{"c":-9007199254740993,"d":1}}',
      { b: { d: 1 } },
    ],
    ['JSON that is none', '{"\\n":1', 'refused'],
    ['text behind it', '{"\\n":1} x', 'refused'],
  ];
  for (const [why, text, expected] of rows) {
    it(why, () => expect(read(text)).to.deep.equal(expected));
  }

  it('never make a payload good that says something else', () => {
    // The bug at work, on purpose: the names below are of this test alone.
    JSON.parse('{"poisoned":1,"\\\\":2}');
    for (const text of ['{"poisoned":1,"\\u0062":2}', '{"poisoned":1,"\\n":2}', '{"poisoned":1,"\\\\":2}']) {
      expect(readPayload(bytes(text)).ok).to.equal(false);
    }
    expect(readPayload(bytes('{"b":2,"poisoned":1}')).ok).to.equal(true);
  });
});
