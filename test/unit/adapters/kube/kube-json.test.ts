import { expect } from 'chai';
import fc from 'fast-check';
import { readKubeJson, toKubeObject } from '../../../../adapters/kube/kube-json.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';

const encoder = new TextEncoder();
const read = (text: string): unknown => readKubeJson(encoder.encode(text)).value;

/** A name as the text of a JSON string, with every character escaped that may be. */
const escaped = (name: string): string =>
  `"${Array.from(name, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;

const namesIn = (text: string): readonly string[] => {
  const value = read(text);
  return isJsonObject(value) ? Object.keys(value) : [];
};

describe('readKubeJson', () => {
  it('reads an escaped name, though another one was seen in its place before', () => {
    read('{"a":1,"\\\\":2}');
    expect(read('{"a":1,"\\n":2,"null":null,"t":true,"s":"","n":-0.5,"l":[null]}')).to.deep.equal({
      a: 1,
      '\n': 2,
      null: null,
      t: true,
      s: '',
      n: -0.5,
      l: [null],
    });
  });

  it('reads every name as it is, however it is spelled and whatever was read before', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '\\', '"', '\n', 'u', '0'), maxLength: 3 });
    const spelling = fc.boolean();
    const members = fc.uniqueArray(fc.tuple(name, spelling), { selector: ([one]) => one, maxLength: 3 });
    fc.assert(
      fc.property(members, (list) => {
        const text = list.map(([one, all], index) => `${all ? escaped(one) : JSON.stringify(one)}:${index}`).join(',');
        const wanted = Object.fromEntries(list.map(([one], index) => [one, index]));
        expect(read(`{${text}}`)).to.deep.equal(wanted);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps a member that is called __proto__', () => {
    expect(namesIn('{"__proto__":{"x":1},"\\u0061":1}')).to.deep.equal(['__proto__', 'a']);
  });

  it('reads what is deeper than the strict reader goes', () => {
    const text = `{"\\\\":${'['.repeat(500)}${']'.repeat(500)}}`;
    expect(namesIn(text)).to.deep.equal(['\\']);
  });
});

describe('toKubeObject', () => {
  it('reads an object that is deeper than a stack, so that it stops nobody else (security.md S29)', () => {
    const text = `{"metadata":{"name":"deep"},"\\u0061":1,"spec":${'['.repeat(20_000)}12345678901234567890${']'.repeat(20_000)}}`;
    const { value, mayRound } = readKubeJson(Buffer.from(text));
    expect(toKubeObject(value, KINDS.orb, mayRound)?.metadata.name).to.equal('deep');
  });

  it('fills in what the items of a built-in LIST lack', () => {
    const object = toKubeObject({ metadata: { name: 'mail' }, data: {} }, KINDS.secret, false);
    expect(object).to.deep.equal({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mail' }, data: {} });
  });

  it('names the group in apiVersion', () => {
    const object = toKubeObject({ metadata: { name: 'x' } }, KINDS.orb, false);
    expect(object?.apiVersion).to.equal('orbs.dev/v1alpha1');
  });

  for (const value of [null, 7, 'x', [], {}, { metadata: null }, { metadata: { name: 'a', uid: 7 } }]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(toKubeObject(value, KINDS.orb, false)).to.equal(undefined);
    });
  }
});
