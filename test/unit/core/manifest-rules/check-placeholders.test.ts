import { aManifest, checkRows } from '../manifest/a-manifest.ts';

const MANY = Array.from({ length: 30 }, (_, index) => `{{inputs.recipien${index}}}`);
const known = { inputs: { recipient: { default: 'a' } } };

describe('checkPlaceholders', () => {
  checkRows([
    [
      'many placeholders without input: twenty findings, and the nearest name in the first five',
      aManifest({ headers: { 'X-A': MANY.join('') } }, known),
      [
        ...Array.from({ length: 5 }, () => 'error manifest-unknown-input /execution/headers/X-A → recipient'),
        ...Array.from({ length: 15 }, () => 'error manifest-unknown-input /execution/headers/X-A'),
        'warning manifest-input-unused /inputs/recipient',
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
      [
        'error manifest-unknown-input /execution/headers/X-A → recipient',
        'warning manifest-input-unused /inputs/recipient',
      ],
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
});
