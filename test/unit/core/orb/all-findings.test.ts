import { expect } from 'chai';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { aManifest, other } from '../manifest/a-manifest.ts';

const findingsOf = (manifest: JsonValue): readonly string[] => {
  const { ok, findings } = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });
  expect(ok).to.equal(findings.every(({ severity }) => severity !== 'error'));
  return findings.map(({ severity, code, pointer, suggestion = '' }) =>
    `${severity} ${code} ${pointer} ${suggestion}`.trimEnd(),
  );
};
/** Details about a text with so many wrong placeholders. */
const detailsOf = (count: number): readonly string[] => {
  const body = Array.from({ length: count }, (_, index) => `{{wrong${'x'.repeat(index)}}}`).join(' ');
  return compileOrb(aManifest({ body_template: body }), { namespace: 'acme', allowedOrigins: [] }).findings.map(
    ({ detail }) => detail,
  );
};

const numbered = (name: string, count: number): JsonValue =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, {}]));

const URL = 'https://orbs.example/run';

describe('compileOrb finds everything in one pass:', () => {
  const rows: readonly (readonly [why: string, manifest: JsonValue, expected: readonly string[]])[] = [
    [
      'unknown inputs beside bad placeholders, in every field',
      aManifest(
        {
          url: `${URL}/{{inputs.recipent}}`,
          headers: { 'X-A': '{{input.recipient}} {{secrets.KEY}}' },
          body_template: '{{inputs.recipient',
        },
        { inputs: { recipient: { default: 'a' } } },
      ),
      [
        'error manifest-unknown-input /execution/url recipient',
        'error template-unknown-reference /execution/headers/X-A {{inputs.recipient}}',
        'error template-unknown-reference /execution/headers/X-A {{orbiset.secrets.KEY}}',
        'error template-unknown-reference /execution/body_template {{inputs.recipient}}',
      ],
    ],
    [
      'a misspelled member beside a bad placeholder and a bad host',
      {
        ...aManifest({ url: 'https://db.internal/', headers: { 'X-A': '{{inputs.b}}' } }, { inputs: { a: {} } }),
        providr: 'main',
      },
      [
        'error schema-additionalProperties /providr provider',
        'error manifest-host-private /execution/url',
        'error manifest-unknown-input /execution/headers/X-A a',
      ],
    ],
    [
      'inputs under a misspelled name are still inputs',
      {
        orb_id: 'acme.echo@1.0.0',
        provider: 'main',
        input: { a: {} },
        outputs: {},
        execution: { url: URL, headers: { 'X-A': '{{inputs.a}} {{input.a}}' } },
      },
      [
        'error schema-required /inputs',
        'error schema-additionalProperties /input inputs',
        'error template-unknown-reference /execution/headers/X-A {{inputs.a}}',
      ],
    ],
    [
      'an input with a wrong definition is still an input',
      aManifest({ headers: { 'X-A': '{{inputs.a}}', 'X-B': '{{nothing}}' } }, { inputs: { a: 'string' } }),
      ['error schema-type /inputs/a', 'error template-unknown-reference /execution/headers/X-B'],
    ],
    [
      'a missing URL beside a default of another type',
      {
        ...aManifest({}, { inputs: { a: { type: 'number', default: '5' } } }),
        execution: { headers: { 'X-A': '{{inputs.a}}' } },
      },
      ['error schema-required /execution/url', 'error manifest-default-type /inputs/a/default'],
    ],
    [
      'two wrong items of a list, whose others stay',
      aManifest(
        { url: 'https://db.internal/', retry: { not_executed_status: ['a', 429, 'b', 503] } },
        { inputs: { a: { default: false } } },
      ),
      [
        'error schema-type /execution/retry/not_executed_status/0',
        'error schema-type /execution/retry/not_executed_status/2',
        'error manifest-host-private /execution/url',
        'error manifest-default-type /inputs/a/default',
      ],
    ],
    [
      'one cause is told once: a URL without a scheme',
      aManifest({ url: 'orbs.example/run' }),
      ['error manifest-url-not-https /execution/url'],
    ],
  ];
  it('of many outputs that are not known, only so many are compared with the known ones', () => {
    const found = findingsOf(
      aManifest({}, { outputs: numbered('known', 64), providers: { b: { ...other, outputs: numbered('knowm', 20) } } }),
    );
    const withName = Array.from({ length: 15 }, (_, index) => `knowm${index} known${index}`);
    const without = Array.from({ length: 5 }, (_, index) => `knowm${15 + index}`);
    const expected = [...withName, ...without].map(
      (text) => `error schema-additionalProperties /providers/b/outputs/${text}`,
    );
    expect(found).to.have.members(expected);
  });

  for (const [why, manifest, expected] of rows)
    it(why, () => {
      expect(findingsOf(manifest)).to.have.members(expected);
    });

  it('says how many more wrong placeholders a text has', () => {
    expect(detailsOf(8)).to.have.lengthOf(5);
    expect(detailsOf(8).at(-1)).to.match(/And 3 more wrong placeholders in this text[.]$/);
    expect(detailsOf(6).at(-1)).to.match(/And 1 more wrong placeholder in this text[.]$/);
    expect(detailsOf(5).join('')).to.not.include('more wrong');
  });
});
