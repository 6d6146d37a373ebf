import { expect } from 'chai';
import fc from 'fast-check';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import { leastCpuMs } from '../../../support/cost.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const refused: readonly (readonly [why: string, text: string, code: string, pointer: string])[] = [
  ['an empty body', '', 'invalid-json', ''],
  ['a trailing comma', '[1,]', 'invalid-json', '/1'],
  ['a comment', '{} // x', 'invalid-json', ''],
  ['two values', '1 2', 'invalid-json', ''],
  ['a cut string', '{"a":"b', 'invalid-json', '/a'],
  ['an unknown escape', '{"a":"\\x41"}', 'invalid-json', '/a'],
  ['a control character in a string', '{"a":"\u0001"}', 'invalid-json', '/a'],
  ['a number with a leading zero', '{"a":01}', 'invalid-json', '/a'],
  ['a word', '{"a":nul}', 'invalid-json', '/a'],
  ['a byte order mark', '\ufeff{}', 'invalid-json', ''],
  ['a member that stands twice', '{"a":{"b":1,"b":2}}', 'duplicate-key', '/a/b'],
  ['a member that stands twice, once escaped', '{"orb_id":1,"orb_\\u0069d":2}', 'duplicate-key', '/orb_id'],
  ['__proto__ twice', '{"__proto__":1,"__proto__":2}', 'duplicate-key', '/__proto__'],
  ['2^53', '{"a":9007199254740992}', 'integer-out-of-range', '/a'],
  ['-(2^53+1)', '[-9007199254740993]', 'integer-out-of-range', '/0'],
  ['thirty digits', '{"a/b":123456789012345678901234567890}', 'integer-out-of-range', '/a~1b'],
  ['1e16, which canonical JSON writes as an integer', '{"a":1e16}', 'integer-out-of-range', '/a'],
  ['1e400', '{"a":[1e400]}', 'number-out-of-range', '/a/0'],
  ['129 levels', `${'['.repeat(129)}1${']'.repeat(129)}`, 'too-deep', '/0'.repeat(129)],
];

const MIB = 1_048_576;
const listOf = (item: string): string =>
  `[${Array.from({ length: Math.floor(MIB / (item.length + 1)) }, () => item).join(',')}]`;

/** Bodies of 1 MiB that would take 90 to 260 ms to read whole. */
const megabytes: readonly (readonly [why: string, text: string, code: string])[] = [
  [
    'an object of 130 000 members',
    `{${Array.from({ length: 130_000 }, (_, number) => `"${number.toString(36)}":1`).join(',')}}`,
    'too-many-values',
  ],
  ['500 000 lists inside each other', `${'['.repeat(MIB / 2)}${']'.repeat(MIB / 2)}`, 'too-many-values'],
  ['lists of 100 levels, side by side', listOf('['.repeat(100) + ']'.repeat(100)), 'too-many-values'],
  ['empty objects', listOf('{}'), 'too-many-values'],
  ['numbers out of range', listOf('1e400'), 'invalid-json'],
  ['strings in a list that is cut', listOf('""').slice(0, -1), 'invalid-json'],
];

const accepted: readonly (readonly [why: string, text: string, value: unknown])[] = [
  ['2^53−1', '[9007199254740991,-9007199254740991]', [9007199254740991, -9007199254740991]],
  ['a large float with exponent', '{"n":6.02214076e23}', { n: 6.02214076e23 }],
  ['strings that look like members', '{"a":"\\"b\\":","c":["d:","\\\\"]}', { a: '"b":', c: ['d:', '\\'] }],
  ['space before a colon', '{"a" \n:\t1}', { a: 1 }],
  ['characters above the first plane', '{"😀":"\\ud83d\\ude00"}', { '😀': '😀' }],
  ['DEL and C1, which JSON allows, beside a large float', '["\u007f\u0085",1e22]', ['\u007f\u0085', 1e22]],
  ['null', '{"a":null}', { a: null }],
  ['no object at all', ' 3 ', 3],
];

describe('readJson', () => {
  for (const [why, text, code] of megabytes)
    it(`refuses a body of 1 MiB: ${why}`, () => {
      const bytes = encode(text);
      const read = readJson(bytes);
      expect(read.findings.map((finding) => finding.code)).to.deep.equal([code]);
    });

  it('reads large bodies of few members, and of texts that look like members', () => {
    for (const text of [
      listOf('""'),
      listOf('1'),
      JSON.stringify({ a: '"b":{['.repeat(100_000) }),
      listOf(String.raw`"\":{"`),
    ])
      expect(readJson(encode(text)).findings).to.deep.equal([]);
    const members = Object.fromEntries(Array.from({ length: 49_000 }, (_, number) => [`member-${number}`, number]));
    expect(readJson(encode(JSON.stringify(members)))).to.deep.equal({ ok: true, value: members, findings: [] });
  });

  for (const [why, text, code, pointer] of refused)
    it(`refuses ${why}`, () => {
      const result = readJson(encode(text));
      expect(result.ok).to.equal(false);
      expect(result.findings[0]).to.include({ code, pointer, severity: 'error' });
    });

  for (const [why, text, value] of accepted)
    it(`reads ${why}`, () => {
      expect(readJson(encode(text))).to.deep.equal({ ok: true, value, findings: [] });
    });

  it('refuses bytes that are not UTF-8', () => {
    const result = readJson(Uint8Array.of(0x22, 0xc3, 0x28, 0x22));
    expect(result.findings.map(({ code }) => code)).to.deep.equal(['invalid-json']);
  });

  it('says line and column of a fault, and nothing of the body', () => {
    const [finding] = readJson(encode('{\n  "a": 1,\n  "b": s3cret}')).findings;
    expect(finding).to.include({ line: 3, column: 8 });
    expect(JSON.stringify(finding)).not.to.include('s3cret');
  });

  it('keeps __proto__ as a member of its own and leaves prototypes alone', () => {
    const result = readJson(encode('{"__proto__":{"admin":true},"n":1e22}'));
    const value = result.ok ? result.value : null;
    expect(isJsonObject(value) && Object.keys(value)).to.deep.equal(['__proto__', 'n']);
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
  });

  it('reads any value that JSON.stringify wrote, as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const result = readJson(encode(text));
        if (result.ok) expect(result.value).to.deep.equal(JSON.parse(text));
        else expect(result.findings[0]?.code).to.equal('integer-out-of-range');
      }),
    );
  });

  it('never throws, and accepts only what JSON.parse accepts', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      '1',
      '-',
      'e9',
      '.',
      'true',
      ' ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const result = readJson(encode(text));
        if (result.ok) expect(JSON.parse(text)).to.deep.equal(result.value);
        else expect(result.findings.length).to.be.greaterThan(0);
      }),
    );
  });

  it('stays small and quick on a hostile megabyte', () => {
    const members = Array.from({ length: 40_000 }, () => '"a":1').join(',');
    const hostile = encode(`{"${'x'.repeat(600_000)}":{${members}}}`);
    const { findings } = readJson(hostile);
    expect(findings).to.have.lengthOf(50);
    expect(JSON.stringify(findings).length).to.be.lessThan(10_000);
    // A twentieth of a second; a quarter of a minute with the name copied for each member.
    expect(leastCpuMs(() => readJson(hostile), 2)).to.be.lessThan(1500);
  });

  it('refuses 40 000 levels without running out of stack', () => {
    expect(readJson(encode('['.repeat(40_000))).findings[0]?.code).to.equal('too-deep');
    expect(readJson(encode('['.repeat(40_000) + ']'.repeat(40_000))).findings[0]?.code).to.equal('too-deep');
  });
});

describe('readJson beside other bodies (nodejs/node #63785)', () => {
  it('reads an escaped name as it is, whatever body came before', () => {
    readJson(new TextEncoder().encode(String.raw`{"name":1,"\\":2}`));
    const checked = readJson(new TextEncoder().encode(String.raw`{"name":1,"\u0062":2}`));
    expect(checked).to.deep.equal({ ok: true, value: { name: 1, b: 2 }, findings: [] });
  });
});
