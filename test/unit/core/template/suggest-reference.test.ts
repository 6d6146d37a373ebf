import { expect } from 'chai';
import { correctReference } from '../../../../core/template/suggest-reference.ts';

const INPUTS = ['text', 'recipient'];
const meant = (text: string, closed = true): string | undefined =>
  correctReference({ text, closed }, INPUTS).suggestion;

describe('correctReference', () => {
  const rows: readonly (readonly [text: string, suggestion: string | undefined])[] = [
    ['input.text', '{{inputs.text}}'],
    ['Inputs.text', '{{inputs.text}}'],
    ['imputs.recipent', '{{inputs.recipient}}'],
    ['inputs . text', '{{inputs.text}}'],
    ['inputs.text:path', '{{inputs.text}}'],
    ['inputs.text | json', '{{inputs.text}}'],
    ['$inputs.text', '{{inputs.text}}'],
    ['{inputs.text', '{{inputs.text}}'],
    ['params.text', '{{inputs.text}}'],
    ['parms.text', '{{inputs.text}}'],
    ['boddy.text', '{{inputs.text}}'],
    ['text', '{{inputs.text}}'],
    ['txet', '{{inputs.text}}'],
    ['secrets.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['secret.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['vault.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['env.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['kredenzial.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['orbiset.secret.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['orbiset.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['orbset.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['orbiset..API_KEY', undefined],
    ['orbiset.token.API_KEY', undefined],
    ['orbset.secrets.API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['API_KEY', '{{orbiset.secrets.API_KEY}}'],
    ['inputs.a.b', undefined],
    ['this.constructor', undefined],
    ['', undefined],
  ];
  for (const [text, suggestion] of rows)
    it(`${suggestion === undefined ? 'suggests nothing' : `suggests ${suggestion}`} for {{${text}}}`, () => {
      expect(meant(text)).to.equal(suggestion);
    });

  it('says to close a placeholder, and what it is then', () => {
    expect(correctReference({ text: 'inputs.text', closed: false }, INPUTS).detail).to.equal(
      '"{{inputs.text" is a placeholder that nothing closes; end it with }}: write {{inputs.text}}.',
    );
  });

  it('says the rule where nothing near it is known', () => {
    expect(correctReference({ text: 'this.constructor', closed: true }, INPUTS)).to.deep.equal({
      detail:
        '"{{this.constructor}}" is no placeholder: "{{" begins {{inputs.NAME}} or {{orbiset.secrets.KEY}} and nothing else; correct it.',
    });
  });

  it('says that there are no filters', () => {
    expect(correctReference({ text: 'inputs.text|upper', closed: true }, INPUTS).detail).to.include('no filters');
  });

  it('does not repeat what may be a credential', () => {
    const { detail } = correctReference({ text: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc', closed: true }, INPUTS);
    expect(detail).not.to.include('4eC39');
    expect(detail).to.match(/^This is no placeholder: /);
  });
});
