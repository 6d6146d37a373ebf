import { expect } from 'chai';
import { parseTemplate } from '../../../../core/template/parse-template.ts';

describe('parseTemplate', () => {
  const references: readonly (readonly [text: string, parts: readonly object[]])[] = [
    ['{{inputs.a}}', [{ kind: 'input', name: 'a' }]],
    ['{{  inputs._A9  }}', [{ kind: 'input', name: '_A9' }]],
    [`{{inputs.${'n'.repeat(64)}}}`, [{ kind: 'input', name: 'n'.repeat(64) }]],
    ['{{ orbiset.secrets.A.b_c-1 }}', [{ kind: 'secret', entry: 'A.b_c-1' }]],
    ['{{orbiset.secrets.__proto__}}', [{ kind: 'secret', entry: '__proto__' }]],
    ['a}}{ {b', [{ kind: 'text', text: 'a}}{ {b' }]],
    [
      'x{{inputs.a}}}',
      [
        { kind: 'text', text: 'x' },
        { kind: 'input', name: 'a' },
        { kind: 'text', text: '}' },
      ],
    ],
    ['', []],
  ];
  for (const [text, parts] of references)
    it(`reads ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(parseTemplate(text)).to.deep.equal({ kind: 'parsed', parts });
    });

  it('reads a field of 1 MiB, and none of a character more', () => {
    expect(parseTemplate('a'.repeat(1_048_576)).kind).to.equal('parsed');
    expect(parseTemplate('a'.repeat(1_048_577))).to.deep.equal({ kind: 'refused', code: 'template-too-large' });
  });

  const unknown = [
    '{{secrets.K}}',
    '{{orbiset.secrets.}}',
    '{{orbiset.secrets.a/b}}',
    `{{orbiset.secrets.${'k'.repeat(254)}}}`,
    '{{inputs.1a}}',
    '{{inputs.a.b}}',
    '{{inputs.é}}',
    `{{inputs.${'n'.repeat(65)}}}`,
    '{{inputs.a|upper}}',
    '{{ inputs . a }}',
    '{{}}',
    '{{inputs.a}',
    '{{',
    '{{{inputs.a}}}',
    '{{\ninputs.a}}',
    '{{this.constructor}}',
  ];
  for (const text of unknown)
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(parseTemplate(text)).to.include({ kind: 'refused', code: 'template-unknown-reference' });
    });

  it('names every wrong reference of a field beside the right ones, up to five', () => {
    const text = `{{input.a}} {{inputs.b}} {{ secrets.K }} "{{inputs.c" {{${'x'.repeat(90)}}}`;
    expect(parseTemplate(text)).to.have.deep.property('wrong', [
      { text: 'input.a', closed: true },
      { text: 'secrets.K', closed: true },
      { text: 'inputs.c', closed: false },
      { text: 'x'.repeat(82), closed: false },
    ]);
    const many = parseTemplate('{{x}}'.repeat(100_000));
    expect(many).to.have.property('wrong').with.lengthOf(5);
    expect(many).to.have.property('more', 99_995);
    expect(parseTemplate(`${'{{x}}'.repeat(5)}{{inputs.a}}`)).to.have.property('more', 0);
  });

  it('names wrong references that touch, an empty one among them, each once', () => {
    expect(parseTemplate('{{}}{{secrets.K}}')).to.have.deep.property('wrong', [
      { text: '', closed: true },
      { text: 'secrets.K', closed: true },
    ]);
  });
});
