import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import { checkCoverage } from '../../../../core/suite/check-coverage.ts';
import { readSuite, readSuiteSteps, suiteDigest, type SuiteDocument } from '../../../../core/suite/read-suite.ts';
import { inPieces } from '../../../support/pieces.ts';
import { aSuite, compiled, echoManifest, jsonOf, liveCase, mockCase } from '../../../support/suites.ts';

const orb = compiled(echoManifest());
const found = (suite: JsonValue): readonly string[] =>
  readSuite(suite, orb, '').findings.map(({ code, pointer }) => `${code} ${pointer}`);
const withCase = (members: Readonly<Record<string, unknown>>): JsonValue => aSuite({ cases: [mockCase(members)] });
const expecting = (assertion: unknown): JsonValue =>
  withCase({ expect: { status: 'completed', outputs: { text: assertion } } });
const read = (suite: JsonValue): SuiteDocument => {
  const result = readSuite(suite, orb, '');
  if (!result.ok) throw new Error(JSON.stringify(result.findings));
  return result.value;
};
/** How many pieces reading it takes, and whether it is good. */
const piecesOf = (suite: JsonValue): readonly [number, boolean] => {
  const { pieces, value } = inPieces(readSuiteSteps(suite, orb, ''));
  return [pieces, value.ok];
};
const many = (count: number): readonly unknown[] =>
  Array.from({ length: count }, (_, index) => mockCase({ id: `case-${index}` }));
const isReadable = (value: unknown): boolean => readJson(Buffer.from(JSON.stringify(value))).ok;
const codes = (...suites: readonly JsonValue[]): readonly string[] =>
  checkCoverage(suites.map(read), orb.manifest, '/test_suites').map(({ severity, code }) => `${severity} ${code}`);

describe('readSuite', () => {
  it('finds nothing in a good suite', () => {
    expect(found(aSuite())).to.deep.equal([]);
  });

  const deep = (levels: number): JsonValue => (levels === 0 ? { type: 'string' } : { items: deep(levels - 1) });
  const rows: readonly (readonly [why: string, suite: JsonValue, findings: readonly string[]])[] = [
    ['no object', [], ['suite-invalid ']],
    ['another format', aSuite({ format: 'orbtest/2' }), ['suite-invalid /format']],
    ['an unknown member', aSuite({ case: [] }), ['suite-invalid /case']],
    ['no cases', aSuite({ cases: [] }), ['suite-invalid /cases']],
    ['201 cases', aSuite({ cases: many(201) }), ['suite-invalid /cases']],
    ['more than 256 KiB', aSuite({ cases: [mockCase({ inputs: { text: 'x'.repeat(300_000) } })] }), ['suite-invalid ']],
    ['an id in capitals', withCase({ id: 'Echo' }), ['suite-invalid /cases/0/id']],
    ['an id twice', aSuite({ cases: [mockCase(), mockCase()] }), ['suite-invalid /cases/1/id']],
    ['another Orb', aSuite({ orb: 'acme.other' }), ['suite-invalid /orb']],
    ['an unknown input', withCase({ inputs: { text: 'a', txt: 'b' } }), ['suite-invalid /cases/0/inputs/txt']],
    ['an input of another type', withCase({ inputs: { text: 1 } }), ['suite-invalid /cases/0/inputs/text']],
    [
      'an unknown provider',
      withCase({ responses: [{ provider: 'mian', status: 200 }] }),
      ['suite-invalid /cases/0/responses/0/provider'],
    ],
    [
      'a response without status',
      withCase({ responses: [{ provider: 'main' }] }),
      ['suite-invalid /cases/0/responses/0'],
    ],
    [
      'an error with a body',
      withCase({ responses: [{ provider: 'main', error: 'tls', body: 1 }] }),
      ['suite-invalid /cases/0/responses/0'],
    ],
    [
      'an output that the Orb lacks',
      withCase({ expect: { status: 'completed', outputs: { id: { equals: 1 } } } }),
      ['suite-invalid /cases/0/expect/outputs/id'],
    ],
    ['two assertions in one', expecting({ equals: 1, absent: true }), ['suite-invalid /cases/0/expect/outputs/text']],
    ['an assertion of nothing', expecting({}), ['suite-invalid /cases/0/expect/outputs/text']],
    [
      'a mock case without responses',
      aSuite({ cases: [{ id: 'a', inputs: { text: 'a' }, expect: { status: 'completed' } }] }),
      ['suite-invalid /cases/0/responses'],
    ],
    [
      'a live case with responses',
      aSuite({ cases: [liveCase({ responses: [{ provider: 'main', status: 200 }] })] }),
      ['suite-invalid /cases/0/responses'],
    ],
    [
      'a live case with a request',
      aSuite({ cases: [liveCase({ expect: { status: 'completed', request: {} } })] }),
      ['suite-invalid /cases/0/expect/request'],
    ],
    [
      'a pattern',
      expecting({ schema: { pattern: '(a+)+$' } }),
      ['suite-schema-keyword /cases/0/expect/outputs/text/schema/pattern'],
    ],
    [
      'a reference',
      expecting({ schema: { items: { $ref: '#' } } }),
      ['suite-schema-keyword /cases/0/expect/outputs/text/schema/items/$ref'],
    ],
    [
      'a keyword with another value',
      expecting({ schema: { type: 'text' } }),
      ['suite-invalid /cases/0/expect/outputs/text/schema/type'],
    ],
    [
      'a schema of 17 levels',
      expecting({ schema: deep(16) }),
      [`suite-invalid /cases/0/expect/outputs/text/schema${'/items'.repeat(16)}`],
    ],
    [
      'a token',
      withCase({ inputs: { text: `ghp_${'a1'.repeat(20)}` } }),
      ['suite-secret-literal /cases/0/inputs/text'],
    ],
    [
      'a secret in an address',
      withCase({ inputs: { text: 'https://a.example/?token=abcdefgh12345678' } }),
      ['suite-secret-literal /cases/0/inputs/text'],
    ],
    ['half of a surrogate pair', withCase({ inputs: { text: '\ud83d' } }), ['suite-invalid /cases/0/inputs/text']],
  ];
  for (const [why, suite, findings] of rows)
    it(`refuses ${why}`, () => {
      expect(found(suite)).to.deep.equal(findings);
    });

  it('takes a value that is made up as the value of a secret', () => {
    expect(found(aSuite({ defaults: { secrets: { TOKEN: 'Bearer test-value-1' } } }))).to.deep.equal([]);
  });

  it('refuses a suite that is deeper than its readers', () => {
    let value: JsonValue = 1;
    for (let level = 0; level < 100_000; level += 1) value = [value];
    expect(found(value)).to.deep.equal(['suite-invalid ']);
  });

  it('points to texts below names that need an escape, and ends at fifty', () => {
    const credentials = Array.from({ length: 60 }, () => 'sk-live-abcdefghijklmnopqrstuvwx0123');
    const [first, ...others] = found(withCase({ inputs: { 'a/b~': [1, { c: credentials }] } }));
    expect(first).to.equal('suite-secret-literal /cases/0/inputs/a~1b~0/1/c/0');
    expect(others).to.have.length(49);
  });

  it('checks size, texts, schema and rules in a piece each, and long lists in several', () => {
    expect(piecesOf(aSuite())).to.deep.equal([4, true]);
    expect(piecesOf(aSuite({ cases: many(200) }))).to.deep.equal([5, true]);
    expect(piecesOf(aSuite({ cases: [] }))).to.deep.equal([3, false]);
    expect(piecesOf(withCase({ description: 'sk-live-abcdefghijklmnopqrstuvwx0123' }))).to.deep.equal([2, false]);
    expect(piecesOf(aSuite({ cases: many(201) }))).to.deep.equal([1, false]);
  });

  it('never throws, and points into what it was given', () => {
    const anyJson = fc.jsonValue().filter(isReadable);
    const members = fc.constantFrom('format', 'name', 'orb', 'defaults', 'cases');
    fc.assert(
      fc.property(members, anyJson, anyJson, (name, value, item) => {
        const suites = [
          aSuite({ [name]: value }),
          withCase({ expect: value }),
          withCase({ responses: [item] }),
          expecting(item),
        ];
        for (const suite of suites)
          for (const { pointer, code } of readSuite(suite, orb, '/x').findings)
            expect([pointer === '' || pointer.startsWith('/x'), code.startsWith('suite-')]).to.deep.equal([true, true]);
      }),
    );
  });
});

describe('suiteDigest', () => {
  it('does not depend on the order of suites and members', () => {
    const [a, b] = [read(aSuite({ name: 'a' })), read(aSuite({ name: 'b' }))];
    expect(suiteDigest([a, b]))
      .to.equal(suiteDigest([b, a]))
      .and.to.match(/^sha256:[0-9a-f]{64}$/);
    const turned = jsonOf(Object.fromEntries(Object.entries(a).toReversed()));
    expect(suiteDigest([read(turned), b])).to.equal(suiteDigest([a, b]));
  });

  it('changes with any value', () => {
    expect(suiteDigest([read(aSuite())])).to.not.equal(suiteDigest([read(withCase({ required: false }))]));
  });
});

describe('checkCoverage', () => {
  const onlyDown = mockCase({ responses: [{ provider: 'main', status: 500 }], expect: { status: 'failed' } });

  it('finds nothing in a good suite', () => {
    expect(codes(aSuite())).to.deep.equal([]);
  });

  it('finds what no required case asserts', () => {
    expect(codes(aSuite({ cases: [onlyDown, liveCase({ required: false })] }))).to.deep.equal([
      'error suite-output-not-asserted',
    ]);
  });

  it('warns of inputs that no case gives', () => {
    const two = compiled(
      echoManifest({
        inputs: { text: { type: 'string', required: true }, more: { type: 'string', default: 'x' } },
        execution: {
          type: 'http',
          method: 'POST',
          url: 'https://api.example.com/echo',
          headers: { 'Content-Type': 'application/json' },
          body_template: '{"text":"{{inputs.text}}{{inputs.more}}"}',
        },
      }),
    );
    const findings = checkCoverage([read(aSuite())], two.manifest, '');
    expect(findings.map(({ code, detail }) => `${code} ${detail}`)).to.deep.equal([
      'suite-input-not-exercised No case gives these inputs: more.',
    ]);
  });

  it('warns when no case fails, and when none is live', () => {
    expect(codes(aSuite({ cases: [mockCase()] }))).to.deep.equal([
      'warning suite-no-failure-case',
      'warning suite-no-live-case',
    ]);
  });

  it('refuses two suites of one name', () => {
    expect(codes(aSuite(), aSuite())).to.deep.equal(['error suite-invalid']);
  });

  it('refuses 201 cases in several suites', () => {
    const cases = Array.from({ length: 101 }, (_, index) => mockCase({ id: `c${index}` }));
    expect(codes(aSuite({ name: 'a', cases }), aSuite({ name: 'b', cases }))).to.include('error suite-invalid');
  });
});
