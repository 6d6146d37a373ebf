import { expect } from 'chai';
import { checkTerms } from '../../../../core/ontology/check-terms.ts';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import { checkOntologyRows, classifier, LATER } from './an-ontology.ts';

const inputs = (text: { readonly type?: string; readonly term?: string }): ReturnType<typeof classifier> =>
  classifier({ inputs: { text: { required: true, ...text } } });
/** The classifier with another provider, whose output is declared like this. */
const changed = (label: { readonly type?: string; readonly term?: string }): ReturnType<typeof classifier> =>
  classifier({
    providers: {
      b: { execution: { url: 'https://b.example/run' }, outputs: { label: { from: '/body/x', ...label } } },
    },
  });

describe('checkTerms', () => {
  checkOntologyRows(checkTerms, [
    ['known terms', classifier(), []],
    ['inputs and outputs without terms', classifier({ inputs: { text: {} }, outputs: { label: {} } }), []],
    [
      'a term with a letter too many',
      inputs({ term: 'textt' }),
      ['error ontology-unknown-term /inputs/text/term → text'],
    ],
    ['a term like no other', inputs({ term: 'bank-account' }), ['error ontology-unknown-term /inputs/text/term']],
    [
      'an unknown term of an output',
      classifier({ outputs: { label: { term: 'lable' } } }),
      ['error ontology-unknown-term /outputs/label/term → label'],
    ],
    [
      'the name of a member that every object has',
      inputs({ term: 'constructor' }),
      ['error ontology-unknown-term /inputs/text/term'],
    ],
    [
      'a private term',
      inputs({ term: 'x-acme.ticket-text', type: 'object' }),
      ['info ontology-private-term /inputs/text/term'],
    ],
    ['a private term without an org', inputs({ term: 'x-ticket' }), ['error ontology-unknown-term /inputs/text/term']],
    ['a term of this version', inputs({ term: 'text' }), [], LATER],
    [
      'a term that was replaced',
      inputs({ term: 'prose' }),
      ['warning ontology-deprecated-term /inputs/text/term → text'],
      LATER,
    ],
    ['a term of a later version', inputs({ term: 'prose' }), ['error ontology-unknown-term /inputs/text/term']],
    [
      'a number where the term is text',
      inputs({ term: 'text', type: 'integer' }),
      ['error ontology-term-type /inputs/text/type'],
    ],
    [
      'the default type where the term is a number',
      inputs({ term: 'quantity' }),
      ['error ontology-term-type /inputs/text/term'],
    ],
    ['an integer where the term is a number', inputs({ term: 'quantity', type: 'integer' }), []],
    ['an amount of money as text', inputs({ term: 'money-amount', type: 'string' }), []],
    ['a list where the term is json', inputs({ term: 'json', type: 'array' }), []],
    [
      'an object where the term is a list',
      inputs({ term: 'list', type: 'object' }),
      ['error ontology-term-type /inputs/text/type'],
    ],
    ['a credential as an input', inputs({ term: 'credential' }), ['error ontology-secret-input /inputs/text/term']],
    ['a personal input', inputs({ term: 'person-name' }), []],
    [
      'the number of a card as an output',
      classifier({ outputs: { label: { term: 'card-number' } } }),
      ['error ontology-secret-output /outputs/label/term'],
    ],
    ['an output that a provider has elsewhere', changed({}), []],
    ['an output that a provider has with the same type', changed({ type: 'string' }), []],
    [
      'an output that a provider has with another type',
      changed({ type: 'number' }),
      ['error ontology-term-type /providers/b/outputs/label/type'],
    ],
    [
      'an output that a provider means differently',
      changed({ term: 'lables' }),
      ['error ontology-unknown-term /providers/b/outputs/label/term → label'],
    ],
    [
      'an output that a provider calls a secret',
      changed({ term: 'credential' }),
      ['error ontology-secret-output /providers/b/outputs/label/term'],
    ],
    [
      'two inputs at once',
      classifier({ inputs: { text: { term: 'texts' }, other: { term: 'flag' } } }),
      ['error ontology-unknown-term /inputs/text/term → text', 'error ontology-term-type /inputs/other/term'],
    ],
  ]);

  it('says what to write instead', () => {
    const [finding] = checkTerms(inputs({ term: 'textt' }), ORB_ONTOLOGY);
    expect(finding?.detail).to.include('Did you mean "text"?').and.to.include('x-<org>.<term>');
    const [secret] = checkTerms(inputs({ term: 'credential' }), ORB_ONTOLOGY);
    expect(secret?.detail).to.include('vault');
  });
});
