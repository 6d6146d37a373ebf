/** Bodies of requests, near the largest that the API reads, whose work strangers choose. */

const MAX_BYTES = 1_048_576;
const ROOM = 1024;
/** A body may have 50 000 members, objects and lists. */
const VALUES = 49_000;
const LEVELS = 90;

/** As many times as fit. @param bytes of the text in JSON */
const repeated = (text: string, bytes = MAX_BYTES - ROOM): string =>
  text.repeat(Math.floor(bytes / (JSON.stringify(text).length - 2)));

const numbered = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const members = (count: number, value: unknown): object =>
  Object.fromEntries(numbered(count, (index) => [`m${index}`, value]));
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: [nested(levels - 1)] });

/** Inputs for an Orb with a text, an object and a list. @param secret of the Orbiset that runs it */
export const hostileInputs = (secret: string): Readonly<Record<string, object>> => ({
  'a text of the secret': { text: repeated(secret) },
  'a text of quotation marks': { text: repeated('"') },
  'a text of control characters': { text: repeated('\u0000') },
  'a text of lone halves of characters': { text: repeated('\ud800') },
  'a text of placeholders': { text: repeated('{{inputs.text}}') },
  'a text of percent-encoded bytes': { text: repeated('%61') },
  'a text of entities': { text: repeated('&#x61;') },
  'a text of escapes': { text: repeated('\\u0061') },
  'a text of base64': { text: repeated('YWJj') },
  'an object of many members': { data: members(VALUES, 1) },
  'an object of long names': { data: members(VALUES / 100, repeated('x', 2000)) },
  'a list of many objects': { list: numbered(VALUES, () => ({})) },
  'a list of many numbers': { list: numbered(400_000, () => 1) },
  'a list of many texts': { list: numbered(100_000, () => '%61%62') },
  'a list of redaction hits': { list: numbered(Math.floor((MAX_BYTES - ROOM) / (secret.length + 3)), () => secret) },
  'objects inside lists': { data: nested(LEVELS / 2), list: numbered(400, () => nested(LEVELS / 2 - 2)) },
  'unknown inputs': members(VALUES, 1),
  'unknown inputs with long names': members(1000, 1),
});

const spec = (parts: object): object => ({
  mode: 'Audit',
  rules: [{ name: 'a', effect: 'deny', when: 'true' }],
  ...parts,
});
const rule = (when: string, name = 'a'): object => ({ name, effect: 'deny', when });
const MAX_WHEN = 4096;

/** Specs of policies that cost a careless reader or compiler most. */
export const hostilePolicies = (): Readonly<Record<string, object>> => ({
  'a condition of 1 MiB': spec({ rules: [rule(repeated('a||'))] }),
  'brackets inside brackets': spec({ rules: [rule('('.repeat(MAX_WHEN))] }),
  'rules that are as dear as they may be': spec({
    rules: numbered(64, (index) =>
      rule(`orb.hosts.all(a, orb.hosts.all(b, a + "${'x'.repeat(2000)}" != b))`, `r${index}`),
    ),
  }),
  'many alternatives': spec({
    rules: numbered(64, (index) => rule(numbered(250, () => 'true').join('||'), `r${index}`)),
  }),
  'patterns that are dear': spec({
    rules: numbered(64, (index) => rule(`orb.name.matches("(a{1,900}){1,900}")`, `r${index}`)),
  }),
  'many rules': spec({ rules: numbered(10_000, (index) => rule('true', `r${index}`)) }),
  'many unknown members': spec(members(VALUES, 1)),
  'many unknown members of rules': spec({ rules: numbered(60, () => ({ ...rule('true'), ...members(800, 1) })) }),
  'many labels': spec({ match: { orbs: numbered(20_000, (index) => `a.b${index}`) } }),
  'lists inside lists': spec({ rules: [nested(LEVELS / 2)] }),
});

/** Texts of resource files that cost a careless reader most. */
export const hostileFiles = (): Readonly<Record<string, string>> => ({
  'lists inside lists': `a: ${'['.repeat(200_000)}`,
  'deep blocks': numbered(3000, (level) => `${' '.repeat(level)}a:`).join('\n'),
  'many documents': '---\na: 1\n'.repeat(100_000),
  'many lines': 'a: 1\n'.repeat(200_000),
  'references that grow': [
    'a0: &a0 [x,x,x,x,x,x,x,x,x]',
    ...numbered(30, (index) => `a${index + 1}: &a${index + 1} [${numbered(9, () => `*a${index}`).join(',')}]`),
  ].join('\n'),
  'many anchors': numbered(14_000, (index) => `a${index}: &a${index} x`).join('\n'),
  'one long line': `a: "${'\\u0061'.repeat(170_000)}"`,
  'a manifest of many inputs': JSON.stringify({ orb_id: 'a.b@1.0.0', inputs: members(VALUES, { type: 'string' }) }),
});
