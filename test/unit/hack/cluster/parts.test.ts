import { expect } from 'chai';
import { KEY_SCOPES } from '../../../../hack/cluster/parts.ts';
import { SCOPES } from '../../../../core/api-key/scopes.ts';

describe('the key of npm run cluster', () => {
  it('has every scope that a person can need: only a prober reports its rounds', () => {
    expect(SCOPES.filter((scope) => !KEY_SCOPES.includes(scope))).to.deep.equal(['status:report']);
  });
});
