/** The special case, the YAML text of one or more documents, and whether our parser accepts it. */
export type YamlRow = readonly [what: string, text: string, ours: 'reads' | 'refuses'];

const HEAD = 'apiVersion: orbs.dev/v1alpha1\nkind: Orb\nmetadata: {name: a}\n';
const document = (spec: string): string => `${HEAD}spec:\n${spec}\n`;
/** An Orb with a value of any kind, as written. */
const value = (text: string): string => document(`  inputs:\n    a:\n      default: ${text}`);
const key = (text: string): string => document(`  ${text}: x`);

const scalars = (ours: 'reads' | 'refuses', texts: readonly string[]): readonly YamlRow[] =>
  texts.map((text) => [`the plain scalar ${JSON.stringify(text)}`, value(text), ours]);
const keys = (ours: 'reads' | 'refuses', texts: readonly string[]): readonly YamlRow[] =>
  texts.map((text) => [`the key ${JSON.stringify(text)}`, key(text), ours]);

const words: readonly YamlRow[] = [
  ...scalars('refuses', [
    'y',
    'Y',
    'n',
    'N',
    'yes',
    'Yes',
    'YES',
    'no',
    'No',
    'NO',
    'on',
    'On',
    'ON',
    'off',
    'Off',
    'OFF',
    'oN',
    'yEs',
  ]),
  ...scalars('reads', [
    'true',
    'True',
    'TRUE',
    'false',
    'False',
    'FALSE',
    'tRUE',
    'yess',
    "'no'",
    '"on"',
    'nope',
    'text',
  ]),
  ...scalars('refuses', ['null', 'Null', 'NULL', '~', '']),
  ...scalars('reads', ['nULL', "'~'", '"null"', '=']),
  ...scalars('refuses', ['<<']),
];

const numbers: readonly YamlRow[] = [
  ...scalars('reads', ['0', '1', '-1', '1.0', '1.50', '1e3', '1E3', '1.5e-7', '1e21', '9007199254740991', '0.1']),
  ...scalars('refuses', ['-0', '-0.0', '9007199254740992', '12345678901234567890', '-9007199254740993', '1e999']),
  ...scalars('refuses', [
    '017',
    '08',
    '0o17',
    '0x1F',
    '0b11',
    '1_000',
    '+1',
    '+1.5',
    '.5',
    '5.',
    '1.e3',
    '.inf',
    '-.INF',
    '.nan',
  ]),
  ...scalars('reads', [
    '1:30',
    '1:30:45',
    '190:20:30.15',
    '1.2.3',
    '1e',
    'e3',
    '--1',
    '1-2',
    '1,000',
    '.',
    '"1"',
    "'0o17'",
  ]),
];

const times: readonly YamlRow[] = scalars('reads', [
  '2001-12-14',
  '2001-12-14t21:59:43.10-05:00',
  '2001-12-14T21:59:43Z',
  '2001-12-14 21:59:43.10 -5',
  '"2001-12-14"',
]);

const tags: readonly YamlRow[] = scalars('refuses', [
  '!!binary aGVsbG8=',
  '!!str 1',
  '!!int "1"',
  '!!float 1',
  '!!timestamp 2001-12-14',
  '!!null ""',
  '!local x',
  '! x',
]);

const keyRows: readonly YamlRow[] = [
  ...keys('refuses', ['y', 'no', 'On', 'true', 'False', '1', '1.5', 'null', '~', '<<', '017', '0x1F', '? a']),
  ...keys('reads', ['"y"', "'no'", '"true"', '"1"', '2001-12-14', 'a b', '"a: b"', "'<<'", 'a-b', 'ключ']),
  ['an empty key', document('  : x'), 'refuses'],
  ['a list as key', document('  [a]: x'), 'refuses'],
  ['a member twice', document('  a: 1\n  a: 2'), 'refuses'],
  ['a member twice in two spellings', document('  a: 1\n  "a": 2'), 'refuses'],
  [
    'a member twice in JSON',
    `{"apiVersion":"orbs.dev/v1alpha1","kind":"Orb","metadata":{"name":"a"},"spec":{"a":1,"a":2}}\n`,
    'refuses',
  ],
];

const references: readonly YamlRow[] = [
  ['an anchor and an alias', document('  a: &x {b: 1}\n  c: *x'), 'reads'],
  ['an alias to a text', document('  a: &x text\n  c: [*x, *x]'), 'reads'],
  ['an anchor that is named again', document('  a: &x 1\n  b: &x 2\n  c: *x'), 'reads'],
  ['an alias to nothing', document('  c: *nobody'), 'refuses'],
  ['an alias to what is around it', document('  a: &x {b: *x}'), 'refuses'],
  ['an alias as key', document('  a: &x text\n  *x : 1'), 'refuses'],
  ['a merge key', document('  a: &x {b: 1}\n  c: {<<: *x, d: 2}'), 'refuses'],
  ['an alias across documents', `${document('  a: &x 1')}---\n${document('  a: *x')}`, 'refuses'],
];

const blocks: readonly YamlRow[] = [
  ['a literal block', document('  a: |\n    one\n     two\n\n    three'), 'reads'],
  ['a literal block that keeps its end', document('  a: |+\n    one\n\n  b: 1'), 'reads'],
  ['a literal block without its end', document('  a: |-\n    one\n  b: 1'), 'reads'],
  ['a literal block with an indentation of its own', document('  a: |2\n      one\n    two'), 'reads'],
  ['a folded block', document('  a: >\n    one\n    two\n\n    three\n      four\n    five'), 'reads'],
  ['a folded block without its end', document('  a: >-\n    one\n    two\n  b: 1'), 'reads'],
  ['a literal block at the end of a file without newline', `${HEAD}spec:\n  a: |\n    one`, 'refuses'],
  ['a plain text over two lines', document('  a: one\n    two'), 'reads'],
  ['a quoted text over two lines', document('  a: "one\n    two\\\n    three"'), 'reads'],
  ['a quoted text over two lines with an empty one', document("  a: 'one\n\n    two'"), 'reads'],
  ['escapes', document('  a: "\\x41\\x85\\u00e9\\U0001F600\\t\\e\\0\\N\\L\\_\\"\\\\"'), 'reads'],
  ['an escaped slash', document('  a: "b\\/c"'), 'refuses'],
  ['an escaped slash in a key', document('  "a\\/b": c'), 'refuses'],
  ['an escaped backslash before a slash', document('  a: "b\\\\/c"'), 'reads'],
  ['a surrogate pair in two escapes', document('  a: "\\ud83d\\ude00"'), 'refuses'],
  ['half of a surrogate pair', document('  a: "\\ud83d"'), 'refuses'],
  ['an escaped single quote', document(`  a: "\\'"`), 'refuses'],
  ['an escape beyond Unicode', document('  a: "\\U00110000"'), 'refuses'],
  ['a backslash outside of double quotes', document("  a: b\\/c\n  d: 'e\\/f'\n  g: |\n    h\\/i\\ud83d"), 'reads'],
  ['a quote in single quotes', document("  a: 'it''s'"), 'reads'],
  ['a hash in a text', document('  a: b#c\n  d: e #f'), 'reads'],
  ['a colon in a text', document('  a: b:c\n  d: http://x'), 'reads'],
  ['a template in a flow', document('  a: {b: \'{{inputs.x}}\', c: "{{inputs.y}}"}'), 'reads'],
  ['a template that is not quoted', document('  a: Bearer {{orbiset.secrets.X}}'), 'reads'],
  ['a template that begins a value', document('  a: {{inputs.x}}'), 'refuses'],
  ['a flow with a comma at its end', document('  a: [1, 2,]\n  b: {c: 1,}'), 'reads'],
  ['a flow without blanks', document('  a: {"b":1,"c":[2]}'), 'reads'],
  ['a flow map with a key alone', document('  a: {b}'), 'refuses'],
  ['a list of pairs in a flow', document('  a: [b: 1]'), 'reads'],
  ['a list that is not indented', document('  a:\n  - 1\n  - 2'), 'reads'],
  ['lists in lists', document('  a:\n    - - 1\n      - 2\n    - b: 1\n      c: 2'), 'reads'],
];

const streams: readonly YamlRow[] = [
  ['two documents', `${document('  a: 1')}---\n${document('  b: 2')}`, 'reads'],
  ['a document mark at the top', `---\n${document('  a: 1')}`, 'reads'],
  ['an empty document', `${document('  a: 1')}---\n---\n${document('  b: 2')}`, 'reads'],
  ['a document of comments', `# first\n---\n${document('  a: 1')}---\n# last\n`, 'reads'],
  ['a comment behind the document mark', `--- # first\n${document('  a: 1')}`, 'reads'],
  [
    'a value on the line of the document mark',
    `--- {apiVersion: orbs.dev/v1alpha1, kind: Orb, metadata: {name: a}, spec: {}}\n`,
    'refuses',
  ],
  ['a document end', `${document('  a: 1')}...\n---\n${document('  b: 2')}`, 'refuses'],
  ['a document mark inside a block', document('  a: |\n    ---\n    b'), 'reads'],
  ['a directive', `%YAML 1.1\n---\n${document('  a: 1')}`, 'refuses'],
  ['a byte order mark at the top', `\ufeff${document('  a: 1')}`, 'reads'],
  ['a byte order mark inside', document('  a: b\ufeffc'), 'refuses'],
  ['CRLF', document('  a: |\n    one\n    two\n  b: 1').replaceAll('\n', '\r\n'), 'reads'],
  ['a lone carriage return', document('  a: b\rc'), 'refuses'],
  ['a next line', document('  a: b\u0085c'), 'refuses'],
  ['a line separator', document('  a: b\u2028c'), 'refuses'],
  ['a tab as indentation', document('  a:\n\tb: 1'), 'refuses'],
  ['a tab between key and value', document('  a:\tb'), 'reads'],
  ['a tab inside a text', document('  a: b\tc'), 'reads'],
  ['a control character', document('  a: b\u0001c'), 'refuses'],
  ['no newline at the end', document('  a: 1').trimEnd(), 'reads'],
  ['letters of every kind', document('  a: "é日本\u{1f600}"\n  b: é日本\u{1f600}'), 'reads'],
  [
    'JSON',
    '{"apiVersion":"orbs.dev/v1alpha1","kind":"Orb","metadata":{"name":"a"},"spec":{"a":[1,true,"y"],"b":{"c":1e3}}}',
    'reads',
  ],
  [
    'JSON over several lines, with tabs',
    '{\n\t"apiVersion": "orbs.dev/v1alpha1",\n\t"kind": "Orb",\n\t"metadata": {"name": "a"},\n\t"spec": {"a": "b"}\n}\n',
    'reads',
  ],
];

/** Texts that YAML parsers read differently, or might read differently. */
export const YAML_ROWS: readonly YamlRow[] = [
  ...words,
  ...numbers,
  ...times,
  ...tags,
  ...keyRows,
  ...references,
  ...blocks,
  ...streams,
];
