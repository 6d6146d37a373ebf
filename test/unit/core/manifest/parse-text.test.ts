import { expect } from 'chai';
import fc from 'fast-check';
import { parseDocuments } from '../../../../core/manifest/parse-text.ts';

const codes = (text: string, format: 'json' | 'yaml' = 'yaml'): readonly string[] =>
  parseDocuments(text, format).flatMap((document) =>
    document.findings.map(({ code, pointer, line, column }) => `${code} ${pointer} ${line}:${column}`),
  );
const values = (text: string, format: 'json' | 'yaml' = 'yaml'): readonly unknown[] =>
  parseDocuments(text, format).map((document) => (document.ok ? document.value : document.findings));

// What sigs.k8s.io/yaml (YAML 1.1) and YAML 1.2 read in different ways, or one of them not at all.
const refusedYaml: readonly (readonly [why: string, text: string, finding: string])[] = [
  ['yes as a value', 'a: yes', 'yaml-ambiguous /a 1:4'],
  ['no as a value', 'a:\n  b: no', 'yaml-ambiguous /a/b 2:6'],
  ['oN in mixed case', 'a: oN', 'yaml-ambiguous /a 1:4'],
  ['OFF in a flow sequence', 'a: [OFF]', 'yaml-ambiguous /a/0 1:5'],
  ['y as a key', 'y: 1', 'yaml-ambiguous  1:1'],
  ['N as a key of a flow mapping', 'a: {N: 1}', 'yaml-ambiguous /a 1:5'],
  ['null in words', 'a: null', 'manifest-null /a 1:4'],
  ['minus zero', 'a: -0', 'minus-zero /a 1:4'],
  ['a tilde', 'a: ~', 'manifest-null /a 1:4'],
  ['a value that is not written', 'a:\nb: 1', 'manifest-null /a 1:3'],
  ['octal of YAML 1.1', 'a: 010', 'yaml-number /a 1:4'],
  ['octal of YAML 1.2', 'a: 0o7', 'yaml-number /a 1:4'],
  ['hexadecimal', 'a: 0x1F', 'yaml-number /a 1:4'],
  ['binary', 'a: 0b11', 'yaml-number /a 1:4'],
  ['underscores in digits', 'a: 1_000', 'yaml-number /a 1:4'],
  ['a plus sign', 'a: +1', 'yaml-number /a 1:4'],
  ['a number that begins with a point', 'a: .5', 'yaml-number /a 1:4'],
  ['a number that ends with a point', 'a: 1.', 'yaml-number /a 1:4'],
  ['infinity', 'a: -.INF', 'yaml-number /a 1:4'],
  ['not a number', 'a: .nan', 'yaml-number /a 1:4'],
  ['an integer beyond 2^53−1', 'a: 9007199254740993', 'integer-out-of-range /a 1:4'],
  ['a number beyond a double', 'a: 1e400', 'number-out-of-range /a 1:4'],
  ['a merge key', 'a: &x {b: 1}\nc:\n  <<: *x', 'yaml-merge-key /c 3:3'],
  ['a number as key', '1: a', 'yaml-key  1:1'],
  ['true as key', 'true: a', 'yaml-key  1:1'],
  ['a sequence as key', '? [a]\n: b', 'yaml-key  1:3'],
  ['an alias as key', 'a: &x b\n*x : c', 'yaml-key  2:1'],
  ['a tag', 'a: !!str 5', 'yaml-tag /a 1:10'],
  ['a tag on a mapping', '!!map {a: 1}', 'yaml-tag  1:7'],
  ['a tag on a key', '!!str a: 1', 'yaml-key  1:7'],
  ['an alias without anchor', 'a: *x', 'yaml-alias /a 1:4'],
  ['an alias to what is around it', 'a: &x [*x]', 'yaml-alias /a/0 1:8'],
  ['a key that stands twice', 'a: 1\nb: 2\na: 3', 'duplicate-key /a 3:1'],
  ['a key that stands twice, once quoted', 'a: 1\n"a": 2', 'duplicate-key /a 2:1'],
  ['a directive', '%YAML 1.1\n---\na: 1', 'yaml-directive  1:1'],
  ['content on the line of ---', '--- {a: 1}', 'yaml-document-start  1:1'],
  ['a document end', 'a: 1\n...\nb: 2', 'yaml-document-end  2:1'],
  ['a block text that the end of the file ends', 'a: |\n  text', 'yaml-final-newline /a 1:4'],
  ['a line separator of Unicode', 'a: "x\u2028y"', 'yaml-character  1:6'],
  ['a next-line character', '# x\u0085a: 1', 'yaml-character  1:4'],
  ['a carriage return alone', 'a: 1\rb: 2', 'yaml-character  1:5'],
  ['a control character', 'a: "\u0007"', 'yaml-character  1:5'],
  ['half of a surrogate pair', 'a: "\\ud83d"', 'invalid-unicode /a 1:4'],
  ['an escaped slash', 'a: "b\\/c"', 'yaml-escape /a 1:4'],
  ['an escaped slash at the start', 'a: "\\/c"', 'yaml-escape /a 1:4'],
  ['an escaped slash in a key', '"a\\/b": c', 'yaml-escape  1:1'],
  ['a surrogate pair in two escapes', 'a: "\\ud83d\\ude00"', 'yaml-escape /a 1:4'],
  ['__proto__ as key', 'a: {__proto__: {b: 1}}', 'unsafe-name /a/__proto__ 1:16'],
  ['a bracket that nothing closes', 'a: [', 'invalid-yaml  1:4'],
  ['a tab as indentation', 'a:\n\tb: 1', 'invalid-yaml  2:1'],
];

const acceptedYaml: readonly (readonly [why: string, text: string, ...values: readonly unknown[]])[] = [
  ['quoted words', 'a: "yes"\n"no": \'off\'', { a: 'yes', no: 'off' }],
  ['words that only begin like them', 'a: yesterday\nb: none', { a: 'yesterday', b: 'none' }],
  ['booleans in the three cases of both versions', 'a: [true, False, TRUE]', { a: [true, false, true] }],
  ['a time as a string', 'a: 2026-01-31T12:00:00Z', { a: '2026-01-31T12:00:00Z' }],
  ['a date as a string', 'a: 2026-01-31', { a: '2026-01-31' }],
  ['base 60 as a string', 'a: 1:20:30', { a: '1:20:30' }],
  ['an equals sign as a string', 'a: =', { a: '=' }],
  ['numbers as JSON writes them', 'a: [0, -12, 1.5, 1e3, -2.5E-3]', { a: [0, -12, 1.5, 1000, -0.0025] }],
  ['an empty string in quotes', "a: ''", { a: '' }],
  ['an alias', 'a: &x {b: 1}\nc: [*x, *x]', { a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] }],
  ['an escaped backslash before a slash', 'a: "b\\\\/c"', { a: 'b\\/c' }],
  ['a backslash outside of double quotes', "a: b\\/c\nd: 'e\\/f'", { a: 'b\\/c', d: 'e\\/f' }],
  ['a block text', 'a: |\n  x\n  y\n', { a: 'x\ny\n' }],
  ['a folded text that is cut off, at the end of the file', 'a: >-\n  x\n  y', { a: 'x y' }],
  ['a placeholder without quotes', 'a: Bearer {{orbiset.secrets.K}}', { a: 'Bearer {{orbiset.secrets.K}}' }],
  ['several documents', '# one\na: 1\n--- # two\nb: 2\n---\n', { a: 1 }, { b: 2 }],
  ['Windows line ends', 'a: 1\r\n---\r\nb: 2\r\n', { a: 1 }, { b: 2 }],
  ['a byte order mark', '\ufeffa: 1', { a: 1 }],
  ['no document in a file of comments', '# nothing\n'],
  ['no document in an empty file', ''],
  ['the null that kubectl prints', 'metadata: {creationTimestamp: null}', { metadata: { creationTimestamp: null } }],
];

const refusedJson: readonly (readonly [why: string, text: string, finding: string])[] = [
  ['an empty file', '', 'invalid-json  1:1'],
  ['YAML', 'a: 1', 'invalid-json  1:1'],
  ['a key that stands twice', '{\n "a": 1,\n "a": 2}', 'duplicate-key /a 3:2'],
  ['null', '{"a": [1, null]}', 'manifest-null /a/1 1:11'],
  ['an integer beyond 2^53−1', '{"a": 9007199254740993}', 'integer-out-of-range /a 1:7'],
  ['__proto__ as key', '{"__proto__": 1}', 'unsafe-name /__proto__ 1:15'],
  ['minus zero', '{"a": {"b": [0, -0]}}', 'minus-zero /a/b/1 1:17'],
  ['minus zero with a fraction and an exponent', '{"a": -0.0e5}', 'minus-zero /a 1:7'],
  ['half of a surrogate pair in a name', '{"a": {"\\udc00": 1}}', 'invalid-unicode /a 1:7'],
];

describe('parseDocuments', () => {
  for (const [why, text, finding] of refusedYaml)
    it(`refuses in YAML ${why}`, () => {
      expect(codes(text)).to.deep.equal([finding]);
    });

  for (const [why, text, ...expected] of acceptedYaml)
    it(`reads in YAML ${why}`, () => {
      expect(values(text)).to.deep.equal(expected);
    });

  for (const [why, text, finding] of refusedJson)
    it(`refuses in JSON ${why}`, () => {
      expect(codes(text, 'json')).to.deep.equal([finding]);
    });

  it('reads one broken document and leaves the others', () => {
    const [first, second] = parseDocuments('a: yes\n---\nb: 2\n', 'yaml');
    expect([first?.ok, second?.ok]).to.deep.equal([false, true]);
  });

  const drafts: readonly (readonly [why: string, text: string, format: 'json' | 'yaml', draft: unknown])[] = [
    ['words that kubectl reads as booleans', 'a: yes\n"no": 1', 'yaml', { a: 'yes', no: 1 }],
    ['such a word as a key', 'y: {b: 2}', 'yaml', { y: { b: 2 } }],
    ['a number as key', '1: a', 'yaml', { 1: 'a' }],
    ['a key that is no text', '? [a]\n: b\nc: d', 'yaml', { c: 'd' }],
    ['a merge key', 'a: &x {b: 1, d: 1}\nc:\n  <<: [*x]\n  b: 2', 'yaml', { a: { b: 1, d: 1 }, c: { b: 2, d: 1 } }],
    ['a tag', 'a: !!str 5\nb: 1', 'yaml', { a: 5, b: 1 }],
    ['an alias without anchor', 'a: *x\nb: 1', 'yaml', { a: null, b: 1 }],
    ['an escape', 'a: "b\\/c"', 'yaml', { a: 'b/c' }],
    ['numbers of no use', '{"a": 1e400, "b": -0, "c": 1}', 'json', { a: 0, b: 0, c: 1 }],
    ['a name that is unsafe', '{"a": {"__proto__": {"b": 1}, "c": 1}}', 'json', { a: { c: 1 } }],
    ['half of a surrogate pair', '{"a\\ud800": "\\udc00"}', 'json', { 'a\ufffd': '\ufffd' }],
    ['a member given twice', '{"a": 1, "a": 2}', 'json', { a: 2 }],
    ['null', '{"a": null, "b": [1, null]}', 'json', { a: null, b: [1, null] }],
  ];
  for (const [why, text, format, draft] of drafts)
    it(`keeps of a refused text what can be checked: ${why}`, () => {
      const [document] = parseDocuments(text, format);
      expect(document?.ok).to.equal(false);
      expect(document?.draft).to.deep.equal(draft);
    });

  it('keeps nothing of a text that is not readable, and nothing where a value is whole', () => {
    const texts = ['a: [', '['.repeat(200) + ']'.repeat(200), '%YAML 1.1\n---\na: 1', 'a: 1'];
    expect(texts.map((text) => parseDocuments(text, 'yaml')[0]?.draft)).to.deep.equal(texts.map(() => undefined));
  });

  it('finds at once everything that is wrong with a text', () => {
    expect(codes('a: yes\nb: {y: 010, "c\\/d": !!str e}\nf: ~')).to.deep.equal([
      'yaml-ambiguous /a 1:4',
      'yaml-ambiguous /b 2:5',
      'yaml-number /b/y 2:8',
      'yaml-escape /b 2:13',
      'yaml-tag /b/c~1d 2:27',
      'manifest-null /f 3:4',
    ]);
    expect(codes('%YAML 1.1\n--- a\n...\n\u0007')).to.deep.equal([
      'yaml-character  4:1',
      'yaml-directive  1:1',
      'yaml-document-start  2:1',
      'yaml-document-end  3:1',
    ]);
    expect(codes('{"a": 1, "b": null, "a": 1e400, "c": -0}', 'json')).to.deep.equal([
      'duplicate-key /a 1:21',
      'number-out-of-range /a 1:26',
      'manifest-null /b 1:15',
      'minus-zero /c 1:38',
    ]);
  });

  it('places findings about the value at the member, or at the nearest one around it', () => {
    const [document] = parseDocuments('a: 1\nb:\n  c:\n    - d: 2\n', 'yaml');
    const finding = { code: 'x', detail: 'x', severity: 'error' } as const;
    const placed = document?.withPlaces([
      { ...finding, pointer: '/b/c/0/d' },
      { ...finding, pointer: '/b/missing' },
      { ...finding, pointer: '' },
    ]);
    expect(placed?.map(({ line, column }) => [line, column])).to.deep.equal([
      [4, 10],
      [3, 3],
      [1, 1],
    ]);
  });

  it('quotes nothing of a file that is malformed', () => {
    const text = 'data: {password: "hunter2-hunter2}\n b: [hunter2-hunter2';
    expect(JSON.stringify(parseDocuments(text, 'yaml'))).not.to.include('hunter2');
  });

  it('stops aliases that multiply', () => {
    const lines = 'bcdefghij'.split('').map((key, index) => {
      const before = 'abcdefghij'[index];
      return `${key}: &${key} [${Array.from({ length: 10 }, () => `*${before}`).join(',')}]`;
    });
    expect(codes(`a: &a [x,x,x]\n${lines.join('\n')}`)[0]).to.match(/^too-many-values /);
  });

  it('stops aliases that multiply in each of many documents', () => {
    const growing = Array.from({ length: 30 }, (_, index) => {
      const items = index === 0 ? 'x,x,x,x,x,x,x,x,x' : Array.from({ length: 9 }, () => `*a${index - 1}`).join(',');
      return `a${index}: &a${index} [${items}]`;
    });
    const before = process.threadCpuUsage();
    const found = codes(Array.from({ length: 50 }, () => growing.join('\n')).join('\n---\n'));
    const { user, system } = process.threadCpuUsage(before);
    expect(found).to.have.length(50);
    for (const code of found) expect(code).to.match(/^too-many-values /);
    // Each of them by itself takes a tenth of a second.
    expect((user + system) / 1000).to.be.lessThan(1000);
  });

  const large: readonly (readonly [what: string, text: string, code: string])[] = [
    ['100 000 documents', '---\na: 1\n'.repeat(100_000), 'too-many-documents'],
    ['200 000 members', 'a: 1\n'.repeat(200_000), 'too-many-values'],
    ['250 000 items', '- a\n'.repeat(250_000), 'too-many-values'],
    ['a list of 500 000 numbers in one line', `a: [${'1,'.repeat(500_000)}1]\n`, 'too-many-values'],
  ];
  for (const [what, text, code] of large)
    it(`refuses ${what} before they are parsed: parsing takes seconds and hundreds of megabytes`, () => {
      const before = process.threadCpuUsage();
      expect(codes(text)).to.deep.equal([`${code}  1:1`]);
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1000).to.be.lessThan(400);
    });

  it('reads a thousand documents and ten thousand members', () => {
    expect(codes('---\na: 1\n'.repeat(1000))).to.deep.equal([]);
    expect(codes(Array.from({ length: 10_000 }, (_, number) => `a${number}: 1\n`).join(''))).to.deep.equal([]);
  });

  it('refuses nesting of 10 000 levels, in YAML and in JSON', () => {
    expect(codes('['.repeat(10_000))).to.deep.equal(['too-deep  1:1']);
    expect(codes('- '.repeat(10_000))).to.deep.equal(['too-deep  1:1']);
    expect(codes('{"a":'.repeat(10_000), 'json')[0]).to.match(/^too-deep /);
  });

  it('refuses a text of more than 4 Mi characters', () => {
    expect(codes(`# ${'x'.repeat(4 * 1024 * 1024)}`)).to.deep.equal(['document-too-large  1:1']);
  });

  it('reads JSON alike as JSON and as YAML', () => {
    const json = fc.jsonValue({
      maxDepth: 4,
      stringUnit: fc.constantFrom('a', 'y', '0', ' ', ':', '#', '"', '\\', 'é', '-'),
    });
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify({ value });
        const [asJson] = parseDocuments(text, 'json');
        const [asYaml] = parseDocuments(text, 'yaml');
        expect(asYaml?.ok).to.equal(asJson?.ok);
        if (asJson?.ok === true && asYaml?.ok === true) expect(asYaml.value).to.deep.equal(asJson.value);
      }),
    );
  });

  it('never throws on any text', () => {
    const piece = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '|',
      '>',
      '&x ',
      '*x',
      '!t ',
      '? ',
      '#',
      '---',
      '1',
      ',',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        for (const document of parseDocuments(pieces.join(''), 'yaml'))
          expect(document.ok).to.equal(document.findings.length === 0);
      }),
    );
  });
});
