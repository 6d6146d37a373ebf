import { expect } from 'chai';
import { jcs } from '../../../../core/json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import type { CompiledOutput } from '../../../../core/orb/compiled-orb.ts';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import { readAnswer } from '../../../../core/run/read-answer.ts';
import { buffersOf, isCanonical, outputsBytes, writeAnswer } from '../../../../core/run/written-answer.ts';
import { seeded } from '../../../support/seeded.ts';

const SECRET = 'abcdefgh12345678';
const redactor = createRedactor([{ name: 'KEY', value: Buffer.from(SECRET) }]);
const TEXTS = ['', 'a', 'ä', '"\\', '\u2028', '😀', SECRET, `x ${SECRET} y`, '%61', 'constructor', '__proto__'];

/** A value of JSON, at most so deep. */
function valueFrom(random: () => number, depth: number): JsonValue {
  const pick = Math.floor(random() * (depth > 0 ? 6 : 4));
  const text = (): string => TEXTS[Math.floor(random() * TEXTS.length)] ?? '';
  if (pick === 0) return Math.round((random() - 0.5) * 1e6) / 100;
  if (pick === 1) return random() < 0.5 ? null : random() < 0.5;
  if (pick === 2 || pick === 3) return text();
  const values = Array.from({ length: Math.floor(random() * 5) }, () => valueFrom(random, depth - 1));
  return pick === 4 ? values : Object.fromEntries(values.map((value) => [text(), value]));
}

const OUTPUTS: readonly CompiledOutput[] = [
  { name: 'z', type: 'array', from: ['body', 'list'] },
  { name: 'a', type: 'string', from: undefined },
  { name: SECRET, type: 'object', from: ['body', 'object'] },
  { name: 'ä"', type: 'string', from: undefined },
];

/** The outputs as the reading on the main thread makes them. */
function direct(bytes: Uint8Array): JsonObject | null {
  const head = { status: 200, contentType: () => 'application/json', headers: () => ({}) };
  const { outputs } = readAnswer(head, bytes, OUTPUTS);
  const value = outputs === null ? null : redactor.json(outputs).value;
  return value !== null && isJsonObject(value) ? value : null;
}

describe('writeAnswer', () => {
  it('writes what the values themselves would be written as, for 500 random answers', () => {
    const random = seeded(19);
    let whole = 0;
    for (let round = 0; round < 500; round += 1) {
      const body = {
        list: random() < 0.1 ? 1 : [valueFrom(random, 4)],
        object: { inner: valueFrom(random, 4) },
        ...(random() < 0.5 ? { a: SECRET } : {}),
      };
      const bytes = Buffer.from(JSON.stringify(body));
      const work = {
        status: 200,
        contentType: 'application/json',
        headers: {},
        bytes,
        outputs: OUTPUTS,
        isShown: false,
      };
      const { outputs } = writeAnswer(work, redactor);
      const expected = direct(bytes);
      expect(outputs === null).to.equal(expected === null);
      if (outputs === null || expected === null) continue;
      whole += 1;
      const text = (hidden: readonly string[], form: 'json' | 'jcs'): string =>
        Buffer.from(outputsBytes(outputs, hidden, form)).toString('utf8');
      expect(text([], 'json')).to.equal(JSON.stringify(expected));
      expect(text([], 'jcs')).to.equal(jcs(expected));
      if (isCanonical(outputs)) expect(text([], 'json')).to.equal(text([], 'jcs'));
      expect(text(['z', 'none'], 'jcs')).to.equal(jcs({ ...expected, z: null }));
      expect(outputs.missing).to.deep.equal('a' in body ? ['ä"'] : ['a', 'ä"']);
    }
    expect(whole).to.be.greaterThan(300);
  });

  it('counts what it redacts, and shows the body only when it may', () => {
    const bytes = Buffer.from(JSON.stringify({ list: [SECRET, SECRET], object: {} }));
    const work = { status: 200, contentType: 'application/json', headers: {}, bytes, outputs: OUTPUTS, isShown: true };
    const { outputs, shown } = writeAnswer(work, redactor);
    expect(outputs?.hits).to.equal(3);
    expect(shown).to.include('[redacted:KEY]').and.not.to.include(SECRET);
    expect(writeAnswer({ ...work, isShown: false }, redactor).shown).to.equal(undefined);
  });

  it('has both forms once where they are equal, in memory that a thread may hand over', () => {
    const bytes = Buffer.from('{"list":["b"],"object":{"b":1,"a":2}}');
    const work = { status: 200, contentType: 'application/json', headers: {}, bytes, outputs: OUTPUTS, isShown: false };
    const answer = writeAnswer(work, redactor);
    const members = answer.outputs?.members ?? [];
    expect(answer.outputs !== null && isCanonical(answer.outputs)).to.equal(false);
    const [, first] = members;
    if (first === undefined) throw new TypeError('no outputs');
    const rows: readonly (readonly [readonly string[], boolean])[] = [
      [['a', 'b'], true],
      [['b', 'a'], false],
      [['a'], true],
    ];
    for (const [names, expected] of rows) {
      const some = names.map((name) => ({ name, json: first.json, jcs: first.json }));
      expect(isCanonical({ members: some, hits: 0, missing: [] }), names.join('')).to.equal(expected);
    }
    const equal = members.filter(({ json, jcs: canonical }) => json === canonical).length;
    expect([equal > 0, equal < members.length]).to.deep.equal([true, true]);
    const buffers = buffersOf(answer);
    expect(buffers.length).to.equal(2 * members.length - equal);
    structuredClone(answer, { transfer: [...buffers] });
    expect(members.every(({ json }) => json.byteLength === 0)).to.equal(true);
  });

  it('says why an answer can not be read', () => {
    const work = { contentType: 'application/json', headers: {}, outputs: OUTPUTS, isShown: false };
    const broken = writeAnswer({ ...work, status: 200, bytes: Buffer.from('{') }, redactor);
    expect([broken.outputs, broken.reading.cause?.reason]).to.deep.equal([null, 'broken-json']);
    const failed = writeAnswer({ ...work, status: 500, bytes: Buffer.from('{}') }, redactor);
    expect([failed.outputs, failed.reading.cause?.reason]).to.deep.equal([null, 'server-error']);
  });
});
