import { aManifest, checkRows } from '../manifest/a-manifest.ts';

describe('checkPlaceholders', () => {
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
