import { expect } from 'chai';
import type { PolicyMatch } from '../../../../../crds/orbpolicy.ts';
import { aPolicy, aRule, decideWith } from '../../../../support/policies.ts';

const ALLOWS_GOLD = [aRule('allow', 'orb.tier_rank >= 3')];
const ofPlatform = aPolicy({ scope: 'Platform', defaultEffect: 'deny', rules: ALLOWS_GOLD }, 'certified');
const OWN_ALLOWS = aPolicy({ rules: [aRule('allow', 'true')] }, 'own');

/** Whether a denial without a condition counts against the Orb. */
const isAboutOrb = (match: PolicyMatch): readonly boolean[] =>
  decideWith([aPolicy({ match, rules: [aRule('deny', 'true')] })]).violations.map((one) => one.isAboutOrb);

describe('a policy of the platform', () => {
  it('that denies by default is not weakened by a tenant that allows everything', () => {
    const { decision, defaultUsed, denials } = decideWith([ofPlatform, OWN_ALLOWS]);
    expect([decision, defaultUsed, denials.map(({ code, policy }) => [code, policy])]).to.deep.equal([
      'deny',
      true,
      [['default-deny', 'acme/certified']],
    ]);
  });

  it('that denies by default lets a run pass that another one of the platform allows', () => {
    const other = aPolicy({ scope: 'Platform', rules: [aRule('allow', 'orb.tier_rank >= 2')] }, 'silver');
    expect(decideWith([ofPlatform, other]).decision).to.equal('allow');
  });

  it('that denies some callers whatever they run says nothing about the Orb', () => {
    expect(isAboutOrb({ orbs: { ids: ['acme.mailer@*'] }, callers: { kinds: [] } })).to.deep.equal([true]);
    expect(isAboutOrb({ callers: { kinds: ['api_key'] } })).to.deep.equal([false]);
    expect(isAboutOrb({ orbisets: { names: ['prod'] } })).to.deep.equal([false]);
  });

  it('may allow what a tenant denies by default', () => {
    const own = aPolicy({ defaultEffect: 'deny', rules: [] }, 'own');
    const silver = aPolicy({ scope: 'Platform', rules: [aRule('allow', 'orb.tier_rank >= 2')] }, 'silver');
    expect(decideWith([own, silver]).decision).to.equal('allow');
  });
});
