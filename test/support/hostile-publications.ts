import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { passed, publicationBody } from './publication-body.ts';
import { aSuite, echoManifest, liveCase, mockCase } from './suites.ts';

/** Largest body that the API reads. */
const MAX_BODY_BYTES = 1_048_576;

/** A body of `POST /marketplace/orbs/publish` that would harm a careless platform. */
export interface HostilePublication {
  /** What it tries. */
  readonly name: string;
  readonly body: () => string;
  /** `422 validation-failed`, or `400 invalid-json`. */
  readonly answer: string;
  /** Code and beginning of the pointer of one of the errors; '' where only the cost matters. */
  readonly error: string;
}

type Members = Readonly<Record<string, unknown>>;

const numbers = (count: number, from = 0): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + from);
const times = <T>(count: number, make: (index: number) => T): readonly T[] => numbers(count).map(make);
const byName = <T>(count: number, make: (index: number) => readonly [string, T]): Readonly<Record<string, T>> =>
  Object.fromEntries(times(count, make));
const letters = (length: number, index: number): string =>
  String.fromCharCode(97 + (index % 26)).repeat(length - 4) + String(index % 10_000).padStart(4, '0');

/** Elements until the body is as large as the API takes. */
function filled(part: (element: string) => string, element: string): string {
  const room = MAX_BODY_BYTES - part('').length - 16;
  return part(element.repeat(Math.floor(room / element.length)).slice(0, -1));
}

const expecting = (assertion: unknown, members: Members = {}): JsonObject =>
  aSuite({ cases: [mockCase({ expect: { status: 'completed', outputs: { text: assertion } } })], ...members });

const nested = (levels: number, name: string): unknown => (levels === 0 ? 1 : { [name]: nested(levels - 1, name) });
const schemaOf = (levels: number): unknown =>
  levels === 0
    ? { type: 'string' }
    : { properties: { a: schemaOf(levels - 1) }, additionalProperties: { type: 'array' } };

/** Small texts in four suites, each as large as a suite may be. */
const manyTexts = (text: string): readonly unknown[] =>
  times(4, (index) =>
    expecting({ equals: times(Math.floor(240_000 / (text.length + 3)), () => text) }, { name: `s${index}` }),
  );

const endless = liveCase({
  expect: { status: 'completed', outputs: { text: { schema: { items: { enum: numbers(35_000, 100) } } } } },
});
const longSecrets = byName(24, (index) => [`S${index}`, letters(8000, index)]);
const withOutput = (outputs: Members, more: Members = {}): JsonValue => echoManifest({ outputs, ...more });
const execution = (members: Members): Members => ({
  type: 'http',
  method: 'POST',
  url: 'https://api.example.com/echo',
  headers: { 'Content-Type': 'application/json' },
  ...members,
});

const unknownTerm = (index: number): Members => ({ type: 'string', term: letters(128, index) });

/** Each keeps a thread busy until it is ended. */
const WORK: readonly HostilePublication[] = [
  {
    name: 'outputs that are compared with a list of values, billions of times',
    body: () =>
      publicationBody({
        manifest: withOutput({ text: { type: 'array', from: '/body/text' } }),
        suites: [aSuite({ cases: [endless] })],
        results: [
          passed('echo/live', {
            mode: 'live',
            openings: { input_salt: 'A'.repeat(22), outputs: { text: times(120_000, () => 35_099) } },
          }),
        ],
      }),
    answer: '422 validation-failed',
    error: 'suite-mock-not-reproduced /test_suites',
  },
  {
    name: '200 cases whose secrets fill the redaction',
    body: () =>
      publicationBody({
        suites: [
          aSuite({
            defaults: { secrets: { TOKEN: 'test-value', ...longSecrets } },
            cases: times(200, (index) => mockCase({ id: `c${index}` })),
          }),
        ],
        results: times(200, (index) => passed(`echo/c${index}`)),
      }),
    answer: '422 validation-failed',
    error: 'suite-mock-not-reproduced /test_suites',
  },
  {
    name: 'templates that become large in each of 200 cases',
    body: () => {
      const manifest = echoManifest({
        execution: execution({ body_template: `"${'{{inputs.text}}'.repeat(1000)}"` }),
      });
      // 1 MB in each case.
      const cases = times(200, (index) =>
        mockCase({
          id: `c${index}`,
          inputs: { text: 'x'.repeat(1000) },
          expect: { status: 'completed', outputs: { text: { equals: 'hi' } }, request: { body: 'y' } },
        }),
      );
      return publicationBody({
        manifest,
        suites: [aSuite({ cases })],
        results: times(200, (index) => passed(`echo/c${index}`)),
      });
    },
    answer: '422 validation-failed',
    error: 'suite-mock-not-reproduced',
  },
];

/** Each is refused before a thread is needed. */
const FORMS: readonly HostilePublication[] = [
  {
    name: 'forty thousand levels',
    body: () => `{"manifest":{},"test_results":{},"test_suites":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
    answer: '400 invalid-json',
    error: 'too-deep',
  },
  {
    name: 'many small values, with a name that only the strict reader reads',
    body: () => filled((inner) => `{"manifes\\u0074":{},"test_results":{},"test_suites":[${inner}]}`, '[],'),
    answer: '400 invalid-json',
    error: 'too-many-values',
  },
  {
    name: 'many members of one name',
    body: () => `{"manifest":{${'"a":1,'.repeat(40_000)}"b":1},"test_results":{}}`,
    answer: '400 invalid-json',
    error: 'duplicate-key /manifest/a',
  },
  {
    name: 'a manifest of unknown members',
    body: () =>
      JSON.stringify({
        manifest: echoManifest(byName(40_000, (index) => [`m${index}`, 1])),
        test_results: {},
      }),
    answer: '422 validation-failed',
    error: 'schema-additionalProperties /manifest/m0',
  },
  {
    name: 'unknown placeholders beside many known ones',
    body: () => {
      const names = times(64, (index) => letters(64, index));
      const inputs = Object.fromEntries(names.map((name) => [name, { type: 'string', default: '' }]));
      const unknown = times(3000, (index) => `{{inputs.${letters(60, index + 1)}}}`).join('');
      const provider = { execution: execution({ body_template: unknown }) };
      return publicationBody({
        manifest: echoManifest({ inputs, providers: byName(3, (index) => [`p${index}`, provider]) }),
      });
    },
    answer: '422 validation-failed',
    error: 'manifest-unknown-input /manifest/execution/body_template',
  },
  {
    name: 'unknown outputs of every provider beside many known ones',
    body: () => {
      const outputs = byName(64, (index) => [letters(64, index), { type: 'string' }]);
      const unknown = byName(64, (index) => [letters(62, index + 1), { type: 'string' }]);
      const provider = { execution: execution({ body_template: '""' }), outputs: unknown };
      return publicationBody({
        manifest: echoManifest({ outputs, providers: byName(16, (index) => [`p${index}`, provider]) }),
      });
    },
    answer: '422 validation-failed',
    error: 'schema-additionalProperties /manifest/providers/p0/outputs',
  },
  {
    name: 'a thousand unknown terms',
    body: () => {
      const outputs = byName(64, (index) => [`o${index}`, unknownTerm(index)]);
      const provider = { execution: execution({ body_template: '""' }), outputs };
      return publicationBody({
        manifest: echoManifest({
          outputs,
          capabilities: times(8, (index) => letters(128, index)),
          providers: byName(16, (index) => [`p${index}`, provider]),
        }),
      });
    },
    answer: '422 validation-failed',
    error: 'ontology-unknown-term /manifest/capabilities/0',
  },
  {
    name: 'many small texts, each of which might be a credential',
    body: () => publicationBody({ suites: manyTexts('a1b2') }),
    answer: '422 validation-failed',
    error: 'suite',
  },
  ...['eyJ-', '?key=', 'sk-a-', '-----BEGIN A', 'key-', 'x-a-', '~/'].map((text): HostilePublication => ({
    name: `a text of ${text}, over and over`,
    body: () =>
      publicationBody({
        suites: times(4, (index) =>
          expecting({ equals: text.repeat(Math.floor(240_000 / text.length)) }, { name: `s${index}` }),
        ),
      }),
    answer: '422 validation-failed',
    error: '',
  })),
  {
    name: 'a schema of a pattern',
    body: () => publicationBody({ suites: [expecting({ schema: { pattern: '(a+)+$' } })] }),
    answer: '422 validation-failed',
    error: 'suite-schema-keyword /test_suites/0/cases/0/expect/outputs/text/schema/pattern',
  },
  {
    name: 'a schema of 20 levels with two ways on each',
    body: () => publicationBody({ suites: [expecting({ schema: schemaOf(20) })] }),
    answer: '422 validation-failed',
    error: 'suite-invalid /test_suites/0/cases/0/expect/outputs/text/schema/properties/a',
  },
  {
    name: 'a schema of unknown keywords',
    body: () => publicationBody({ suites: [expecting({ schema: byName(20_000, (index) => [`k${index}`, 1]) })] }),
    answer: '422 validation-failed',
    error: 'suite-schema-keyword /test_suites/0/cases/0/expect/outputs/text/schema/k0',
  },
  {
    name: 'long names on every level',
    body: () =>
      publicationBody({
        suites: [expecting({ equals: nested(100, '~'.repeat(1000)) }), ...manyTexts('a').slice(0, 2)],
      }),
    answer: '422 validation-failed',
    error: '',
  },
  {
    name: 'unknown names in every case',
    body: () =>
      publicationBody({
        suites: times(4, (suite) =>
          aSuite({
            name: `s${suite}`,
            cases: times(200, (index) =>
              mockCase({
                id: `c${index}`,
                responses: times(10, (at) => ({ provider: letters(50, at), status: 200 })),
                expect: { status: 'completed', active_provider: letters(50, index) },
              }),
            ),
          }),
        ),
      }),
    answer: '422 validation-failed',
    error: 'suite-invalid /test_suites/0/cases/0/responses/0/provider',
  },
  {
    name: 'a report of 2 000 tests that cite 200 receipts',
    body: () =>
      publicationBody({
        results: times(2000, (index) =>
          passed(`echo/${letters(100, index)}-${index}`, {
            mode: 'live',
            ...(index < 200
              ? {
                  receiptId: `rcpt_019339a1-8000-7000-8000-${String(index).padStart(12, '0')}`,
                  openings: { input_salt: 'A'.repeat(22) },
                }
              : {}),
          }),
        ),
      }),
    answer: '422 validation-failed',
    error: 'test-receipt-invalid /test_results/results/tests/0',
  },
];

/** Names that objects have from the language. Text, because `JSON.stringify` writes no `__proto__`. */
const ESCAPES: readonly HostilePublication[] = [
  [
    'the manifest',
    `{"manifest":{"__proto__":{"orb_id":"acme.echo@1.0.0"}},"test_results":{}}`,
    'unsafe-name /manifest/__proto__',
  ],
  ['the body', `{"__proto__":{"manifest":{}},"manifest":{},"test_results":{}}`, 'unknown-member /__proto__'],
].map(([where = '', body = '', error = '']) => ({
  name: `__proto__ in ${where}`,
  body: () => body,
  answer: error.startsWith('unknown') ? '422 unknown-member' : '422 validation-failed',
  error,
}));

const inSuite = (member: string, value: string): HostilePublication => ({
  name: `__proto__ in ${member} of a case`,
  body: () =>
    publicationBody({ suites: [aSuite({ cases: [mockCase({ [member]: '@' })] })] }).replace(
      `"${member}":"@"`,
      `"${member}":${value}`,
    ),
  answer: '422 validation-failed',
  error: 'suite-invalid /test_suites/0/cases/0',
});

/** Publications that stop, flood or escape a careless platform; none of them may be published. */
export const HOSTILE_PUBLICATIONS: readonly HostilePublication[] = [
  ...FORMS,
  ...ESCAPES,
  inSuite('inputs', '{"text":"hi","__proto__":{"admin":true}}'),
  inSuite('secrets', '{"__proto__":"x"}'),
  inSuite('responses', '[{"provider":"main","status":200,"body":{"__proto__":{"text":"hi"}}}]'),
  inSuite('inputs', '{"text":"hi","constructor":{"prototype":{}}}'),
  ...WORK,
];
