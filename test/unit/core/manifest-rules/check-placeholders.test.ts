import { expect } from 'chai';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';
import { aManifest, checkRows } from '../manifest/a-manifest.ts';

const MANY = Array.from({ length: 30 }, (_, index) => `{{inputs.recipien${index}}}`);
const known = { inputs: { recipient: { default: 'a' } } };

/** Details about a manifest with these placeholders. */
const detailsOf = (names: readonly string[]): readonly string[] => {
  const body = names.map((name) => `{{inputs.${name}}}`).join('');
  const { findings } = checkManifest(aManifest({ body_template: body }), { allowedOrigins: [] });
  return findings.map(({ detail }) => detail);
};

describe('checkPlaceholders', () => {
  checkRows([
    [
      'many placeholders without input: twenty findings, and the nearest name in the first five',
      aManifest({ headers: { 'X-A': MANY.join('') } }, known),
      [
        ...Array.from({ length: 5 }, () => 'error manifest-unknown-input /execution/headers/X-A → recipient'),
        ...Array.from({ length: 15 }, () => 'error manifest-unknown-input /execution/headers/X-A'),
      ],
    ],
    [
      'an input that several texts use: the first one is named',
      aManifest({ headers: { 'X-A': '{{inputs.a}}' }, body_template: '{{inputs.a}}' }, { inputs: { a: {} } }),
      ['warning input-effectively-required /inputs/a'],
    ],
  ]);
  checkRows([
    [
      'a placeholder without input, with the nearest name',
      aManifest({ headers: { 'X-A': '{{inputs.recipent}}' } }, { inputs: { recipient: { default: 'a' } } }),
      ['error manifest-unknown-input /execution/headers/X-A → recipient'],
    ],
    [
      'an input beside a placeholder that means another one',
      aManifest({ headers: { 'X-A': '{{inputs.colour}}' } }, { inputs: { recipient: { default: 'a' } } }),
      ['error manifest-unknown-input /execution/headers/X-A', 'warning manifest-input-unused /inputs/recipient'],
    ],
    // The reference itself is a finding of the template, which this check does not make.
    [
      'an input beside a wrong reference that means it',
      aManifest({ headers: { 'X-A': '{{input.recipent}}' } }, { inputs: { recipient: { default: 'a' } } }),
      [],
    ],
    [
      'an input beside a wrong reference that means another one',
      aManifest({ headers: { 'X-A': '{{secrets.KEY}}' } }, { inputs: { recipient: { default: 'a' } } }),
      ['warning manifest-input-unused /inputs/recipient'],
    ],
    [
      'an input that nothing uses',
      aManifest({}, { inputs: { a: { required: true } } }),
      ['warning manifest-input-unused /inputs/a'],
    ],
    [
      'an input that only a fallback uses',
      aManifest(
        {},
        {
          inputs: { a: { required: true } },
          providers: { b: { execution: { url: 'https://b.example/{{inputs.a}}' } } },
        },
      ),
      [],
    ],
    [
      'an optional input without default in a template',
      aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: {} } }),
      ['warning input-effectively-required /inputs/a'],
    ],
    [
      'an optional input whose default is false',
      aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: { type: 'boolean', default: false } } }),
      [],
    ],
  ]);

  it('says how many more placeholders have no input', () => {
    const names = Array.from({ length: 23 }, (_, index) => `n${index}`);
    expect(detailsOf(names).at(-1)).to.equal(
      'No input is named "n19"; add it to /inputs. And 3 more placeholders without an input.',
    );
    expect(detailsOf(names.slice(0, 21)).at(-1)).to.include('And 1 more placeholder without an input.');
    expect(detailsOf(names.slice(0, 20)).join('')).to.not.include('more placeholder');
  });
});
