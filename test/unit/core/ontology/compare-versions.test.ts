import { expect } from 'chai';
import { danglingNames, lostNames } from '../../../../core/ontology/compare-versions.ts';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import { LATER } from './an-ontology.ts';

describe('versions of the ontology', () => {
  it('may add and deprecate', () => {
    expect(lostNames(ORB_ONTOLOGY, LATER)).to.deep.equal([]);
    expect(danglingNames(LATER)).to.deep.equal([]);
  });

  it('lose no term and no capability', () => {
    expect(lostNames(LATER, ORB_ONTOLOGY)).to.deep.equal(['prose', 'text.sort']);
  });

  it('refer to no name that they lack', () => {
    const { text: _removed, ...terms } = ORB_ONTOLOGY.terms;
    expect(new Set(danglingNames({ ...ORB_ONTOLOGY, terms }))).to.deep.equal(new Set(['text']));
    const flag = { ...ORB_ONTOLOGY.terms['flag'], deprecated: true, replaced_by: 'boolean' } as const;
    const replaced = { types: ['boolean'], sensitivity: 'none', description: 'x', ...flag } as const;
    expect(danglingNames({ ...ORB_ONTOLOGY, terms: { ...ORB_ONTOLOGY.terms, flag: replaced } })).to.deep.equal([
      'boolean',
    ]);
  });
});
