import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { jcs } from '../../../../core/json/jcs.ts';
import type { CompiledOutput, ValueType } from '../../../../core/orb/compiled-orb.ts';
import { extractOutputs } from '../../../../core/run/outputs.ts';
import { readBody, type ProviderAnswer } from '../../../../core/run/response-body.ts';

const output = (name: string, type: ValueType = 'string', from?: readonly string[]): CompiledOutput => ({
  name,
  type,
  from,
});
const answer = (given: Partial<ProviderAnswer>): ProviderAnswer => ({
  status: 200,
  headers: {},
  body: undefined,
  ...given,
});

describe('extractOutputs (design.md §2)', () => {
  const rows: readonly [string, CompiledOutput, ProviderAnswer, unknown][] = [
    ['a body member of its name', output('id'), answer({ body: { id: 'a' } }), 'a'],
    ['a header of its name', output('etag'), answer({ headers: { etag: 'e' } }), 'e'],
    ['an x- header, _ read as -', output('message_id'), answer({ headers: { 'x-message-id': 'm' } }), 'm'],
    ['the body before the header', output('id'), answer({ body: { id: 'b' }, headers: { id: 'h' } }), 'b'],
    ['the header when the body has another type', output('id'), answer({ body: { id: 1 }, headers: { id: 'h' } }), 'h'],
    ['the HTTP status as text', output('status'), answer({ status: 202 }), '202'],
    ['the HTTP status as integer', output('status', 'integer'), answer({ status: 202 }), 202],
    ['no HTTP status as boolean', output('status', 'boolean'), answer({ status: 202 }), null],
    ['a body status before the HTTP one', output('status'), answer({ body: { status: 'sent' } }), 'sent'],
    ['null when it is nowhere', output('id'), answer({ body: {} }), null],
    ['nothing from the prototype of a body', output('constructor', 'object'), answer({ body: {} }), null],
    ['nothing from the prototype of the headers', output('constructor', 'object'), answer({}), null],
    ['a pointer into the body', output('id', 'string', ['body', 'a', '0']), answer({ body: { a: ['x'] } }), 'x'],
    ['a pointer to a header', output('id', 'string', ['headers', 'x-id']), answer({ headers: { 'x-id': 'h' } }), 'h'],
    ['a pointer to the status', output('code', 'integer', ['status']), answer({ status: 201 }), 201],
    ['a text body by pointer', output('page', 'string', ['body']), answer({ body: 'hello' }), 'hello'],
    ['an integer written as 1.0', output('n', 'integer'), answer({ body: { n: 1.0 } }), 1],
    ['no fraction as integer', output('n', 'integer'), answer({ body: { n: 1.5 } }), null],
    ['no array as object', output('o', 'object'), answer({ body: { o: [] } }), null],
    ['an array', output('o', 'array'), answer({ body: { o: [1] } }), [1]],
  ];
  for (const [why, declared, given, expected] of rows) {
    it(`takes ${why}`, () => {
      const { outputs, complete } = extractOutputs([declared], given);
      expect(outputs[declared.name]).to.deep.equal(expected);
      expect(complete).to.equal(expected !== null);
    });
  }

  it('names an output with a pointer that is not there, and not one without', () => {
    const declared = [output('a', 'string', ['body', 'a']), output('b')];
    expect(extractOutputs(declared, answer({ body: { a: 1 } })).missing).to.deep.equal(['a']);
  });

  it('keeps an output that is named like a member of every object', () => {
    const { outputs } = extractOutputs([output('__proto__')], answer({ headers: { __proto__x: '1' } }));
    expect(Object.hasOwn(outputs, '__proto__')).to.equal(true);
  });
});

const read = (body: string): ProviderAnswer => {
  const parsed = readBody(new TextEncoder().encode(body), 'application/json');
  return answer({ body: parsed.ok ? parsed.body : undefined });
};
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('extractOutputs from a hostile answer', () => {
  const rows: readonly [string, ValueType, string][] = [
    ['a number that no double holds', 'number', '{"v":1e400}'],
    ['one inside of an object', 'object', '{"v":{"a":-1e400}}'],
    ['a lone surrogate', 'string', '{"v":"\\ud800"}'],
    ['a lone surrogate in a name', 'object', '{"v":{"\\ud800":1}}'],
    ['a list from which a number was dropped', 'array', '{"v":[1,12345678901234567890,3]}'],
    ['the same, with an escaped name beside it', 'array', '{"v":[1,12345678901234567890,3],"\\n":1}'],
    ['129 levels', 'array', `{"v":${deep(129)}}`],
    ['a hundred thousand levels', 'array', `{"v":${deep(100_000)}}`],
  ];
  for (const [why, type, body] of rows) {
    it(`counts ${why} as absent, with or without a pointer`, () => {
      const declared = [output('v', type), output('p', type, ['body', 'v'])];
      const { outputs, complete, missing } = extractOutputs(declared, read(body));
      expect({ outputs, complete, missing }).to.deep.equal({
        outputs: { v: null, p: null },
        complete: false,
        missing: ['p'],
      });
    });
  }

  it('takes 128 levels', () => {
    expect(extractOutputs([output('v', 'array')], read(`{"v":${deep(128)}}`)).complete).to.equal(true);
  });

  it('takes outputs that canonical JSON can write, from any JSON', () => {
    const declared = (['string', 'number', 'integer', 'boolean', 'object', 'array'] as const).map((type) =>
      output('v', type),
    );
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        for (const one of declared) {
          const { outputs } = extractOutputs([one], read(`{"v":${text}}`));
          expect(jcs(outputs)).to.equal(canonicalize(outputs));
        }
      }),
    );
  });
});
