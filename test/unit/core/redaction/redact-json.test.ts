import { expect } from 'chai';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { readJsonText } from '../../../../core/manifest/text/json-reader.ts';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import { hostileAnswers } from '../../../support/hostile-answers.ts';

const SECRET = 'cnry-"12345678';
const { json } = createRedactor([{ name: 'K', value: new TextEncoder().encode(SECRET) }]);

/** A byte in percent-encoding. */
function encoded(byte: number, isUpper: boolean): string {
  const hex = byte.toString(16);
  return `%${isUpper ? hex.toUpperCase() : hex}`;
}

describe('Redactor.json', () => {
  const rows: readonly (readonly [string, JsonValue, JsonValue, number])[] = [
    ['a string', SECRET, '[redacted:K]', 1],
    ['a member', { a: `x ${SECRET} y`, b: 1 }, { a: 'x [redacted:K] y', b: 1 }, 1],
    ['a key', { [SECRET]: true }, { '[redacted:K]': true }, 1],
    ['both, nested', [{ [SECRET]: [[SECRET, null]] }, 2], [{ '[redacted:K]': [['[redacted:K]', null]] }, 2], 2],
    ['a JSON text in a string', { body: JSON.stringify({ t: SECRET }) }, { body: '{"t":"[redacted:K]"}' }, 1],
    [
      'two keys that are forms of one value: both members stay',
      { [SECRET]: 1, [Buffer.from(SECRET).toString('hex')]: 2 },
      { '[redacted:K]': 1, '[redacted:K]#2': 2 },
      2,
    ],
  ];
  for (const [why, input, expected, hits] of rows) {
    it(`redacts ${why}`, () => {
      expect(json(input)).to.deep.equal({ value: expected, hits });
    });
  }

  it('gives three keys that are forms of one value three names', () => {
    const forms = [SECRET, Buffer.from(SECRET).toString('hex'), encodeURIComponent(SECRET)];
    const { value, hits } = json(Object.fromEntries(forms.map((form, index) => [form, index])));
    expect(value).to.deep.equal({ '[redacted:K]': 0, '[redacted:K]#2': 1, '[redacted:K]#3': 2 });
    expect(hits).to.equal(3);
  });

  it('gives members that can be changed and removed', () => {
    const { value } = json({ a: SECRET });
    const own = isJsonObject(value) ? Object.getOwnPropertyDescriptor(value, 'a') : undefined;
    expect(own).to.deep.equal({ value: '[redacted:K]', enumerable: true, writable: true, configurable: true });
  });

  it('finds a value behind members of every kind', () => {
    for (const before of [null, true, false, 0, 1.5, '', [], {}, [[null]], { a: { b: 1 } }])
      for (const input of [
        [before, SECRET],
        [SECRET, before],
      ])
        expect(json(input).value).to.deep.equal(input.map((item) => (item === SECRET ? '[redacted:K]' : item)));
  });

  it('keeps 1000 keys that are forms of one value apart', () => {
    const secret = 'jklmnojklmnojklm';
    const form = (number: number): string =>
      [...Buffer.from(secret)].map((byte, at) => encoded(byte, ((number >> at) & 1) === 1)).join('');
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, number) => [form(number), number]));
    const redacted = createRedactor([{ name: 'K', value: Buffer.from(secret) }]).json(value);
    expect(redacted.hits).to.equal(1000);
    expect(Object.keys(redacted.value ?? {}).at(-1)).to.equal('[redacted:K]#1000');
  });

  it('returns the same value when nothing is hit', () => {
    const value = { a: ['b', 1, null, { c: true }] };
    expect(json(value).value).to.equal(value);
  });

  it('keeps the order of keys, and a key __proto__ as a key', () => {
    const input: unknown = JSON.parse(`{"z":{"y":1},"__proto__":{"p":${JSON.stringify(SECRET)}},"a":[1]}`);
    if (!isJsonObject(input)) throw new TypeError('not an object');
    const { value } = json(input);
    expect(JSON.stringify(value)).to.equal('{"z":{"y":1},"__proto__":{"p":"[redacted:K]"},"a":[1]}');
  });

  it('does the same in steps, and none of them is long', () => {
    const { json: whole, jsonSteps } = createRedactor([{ name: 'K', value: Buffer.from('abcdefgh12345678') }]);
    for (const [name, text] of Object.entries(hostileAnswers('abcdefgh12345678', 64_000))) {
      const { value } = readJsonText(text, { keepsOffsets: false });
      if (value === undefined) continue; // too deep
      const steps = jsonSteps(value);
      let count = 0;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) count += 1;
      expect(JSON.stringify(step.value).length, name).to.equal(JSON.stringify(whole(value)).length);
      // Of one text there is one step.
      expect(count, name).to.be.greaterThan(name === 'one string of redaction hits' ? 0 : 64);
    }
  });

  it('needs no step in between for a small answer', () => {
    const { jsonSteps } = createRedactor([{ name: 'K', value: Buffer.from('abcdefgh12345678') }]);
    for (const answer of [{ id: 'ch_1', paid: true, amount: 1200 }, { echo: 'abcdefgh12345678' }])
      expect(jsonSteps(answer).next().done, JSON.stringify(answer)).to.equal(true);
  });

  it('reaches a string that is nested 200 000 deep', () => {
    let input: JsonValue = SECRET;
    for (let depth = 0; depth < 200_000; depth += 1) input = [input];
    expect(json(input).hits).to.equal(1);
  });
});
