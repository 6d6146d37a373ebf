import { expect } from 'chai';
import { checkCapabilities } from '../../../../core/ontology/check-capabilities.ts';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import { checkOntologyRows, classifier, LATER } from './an-ontology.ts';

const does = (...capabilities: readonly string[]): ReturnType<typeof classifier> => classifier({ capabilities });
const PLAIN = { inputs: { text: { required: true } }, outputs: { label: {} } };

describe('checkCapabilities', () => {
  checkOntologyRows(checkCapabilities, [
    ['a capability with its terms', classifier(), []],
    ['several capabilities with their terms', does('text.classify', 'text.moderate'), []],
    ['a capability that needs no term', does('http.call'), []],
    [
      'a manifest without capabilities',
      classifier({ capabilities: [] }),
      ['warning ontology-no-capability /capabilities'],
    ],
    ['a slip', does('text.clasify'), ['error ontology-unknown-term /capabilities/0 → text.classify']],
    [
      'a name with the last segment of a known one',
      does('http.call', 'mail.send'),
      ['error ontology-unknown-term /capabilities/1 → message.email.send'],
    ],
    ['a term where a capability stands', does('http.call', 'text'), ['error ontology-unknown-term /capabilities/1']],
    ['a private capability', does('x-acme.sort'), ['info ontology-private-term /capabilities/0']],
    [
      'a capability that was replaced',
      does('text.sort'),
      ['warning ontology-deprecated-term /capabilities/0 → text.classify'],
      LATER,
    ],
    ['a capability of a later version', does('text.sort'), ['error ontology-unknown-term /capabilities/0']],
    [
      'an input without the term',
      does('image.describe'),
      ['error ontology-missing-input /capabilities/0', 'error ontology-missing-output /capabilities/0'],
    ],
    [
      'one of two inputs without the term',
      does('text.translate'),
      ['error ontology-missing-input /capabilities/0', 'error ontology-missing-output /capabilities/0'],
    ],
    ['an output without the term', does('text.summarize'), ['error ontology-missing-output /capabilities/0']],
    [
      'the same in a manifest that uses no terms',
      classifier(PLAIN),
      ['warning ontology-missing-input /capabilities/0', 'warning ontology-missing-output /capabilities/0'],
    ],
    [
      'the same in a manifest that uses a term for an output alone',
      classifier({ ...PLAIN, outputs: { label: { term: 'label' } } }),
      ['error ontology-missing-input /capabilities/0'],
    ],
    ['a term that was replaced by the needed one', classifier({ inputs: { text: { term: 'prose' } } }), [], LATER],
  ]);

  it('names every missing term of a side in one finding', () => {
    const [finding] = checkCapabilities(
      classifier({ capabilities: ['message.email.send'], inputs: { a: { term: 'flag', type: 'boolean' } } }),
      ORB_ONTOLOGY,
    );
    expect(finding?.detail).to.include('"email-address" and "text"');
  });
});
