import { expect } from 'chai';
import { ORB_FACTS } from '../../../../../core/policy/facts/orb-facts.ts';
import { languageReference } from '../../../../../core/policy/simulation/language-reference.ts';

describe('the reference of the language', () => {
  const { schema, facts, functions, obligations } = languageReference(ORB_FACTS);

  it('lists facts with the bounds of their type', () => {
    expect(schema).to.equal('orb-facts/1');
    expect(facts).to.deep.include({
      path: 'orb.score',
      type: 'int',
      min: 0,
      max: 100,
      nullable: false,
      phase: 'PreFlight',
      stateful: false,
      changes_with: 'orb',
      since: 'orb-facts/1',
      doc: 'Reputation of the published version, 0 to 100.',
    });
    expect(facts).to.have.length(ORB_FACTS.facts.size);
  });

  it('lists functions and obligations', () => {
    expect(functions).to.deep.include({ name: 'startsWith', receiver: 'string', args: ['string'], returns: 'bool' });
    expect(functions).to.deep.include({ name: 'size', args: ['list'], returns: 'int' });
    expect(obligations.map(({ type }) => type)).to.deep.equal([
      'restrictHosts',
      'maxResponseBytes',
      'timeoutMs',
      'redactResponse',
      'noStore',
      'requireApproval',
    ]);
  });
});
