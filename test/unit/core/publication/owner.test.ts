import { expect } from 'chai';
import { ownershipOf, refusedName, type KnownOrg, type OperatorProof } from '../../../../core/publication/owner.ts';

const known = (change: Partial<KnownOrg> = {}): KnownOrg => ({
  org: 'acme',
  namespace: 'team-a',
  proof: 'dns',
  state: 'verified',
  ...change,
});
const nobody: OperatorProof = { orgs: new Map(), firstComes: false };
const named: OperatorProof = { orgs: new Map([['acme', 'team-a']]), firstComes: false };
const first: OperatorProof = { orgs: new Map(), firstComes: true };

describe('ownershipOf', () => {
  const rows: [why: string, org: KnownOrg | undefined, tenant: string, operator: OperatorProof, kind: string][] = [
    ['its owner', known(), 'team-a', nobody, 'owns'],
    ['another tenant', known(), 'team-b', nobody, 'foreign'],
    ['another tenant, while first comes', known(), 'team-b', first, 'foreign'],
    ['an owner whose proof was lost', known({ state: 'unverified' }), 'team-a', nobody, 'unverified'],
    ['a suspended owner', known({ state: 'suspended' }), 'team-a', nobody, 'unverified'],
    ['a suspended owner whom the operator names', known({ state: 'suspended' }), 'team-a', named, 'unverified'],
    ['a name of nobody', undefined, 'team-a', nobody, 'unverified'],
    ['a name that the operator gives to the tenant', undefined, 'team-a', named, 'claims'],
    ['a name that the operator gives to another', undefined, 'team-b', named, 'foreign'],
    ['a name of nobody, while first comes', undefined, 'team-b', first, 'claims'],
    [
      'a proven name that the operator gives to another later',
      known({ namespace: 'team-b' }),
      'team-a',
      named,
      'foreign',
    ],
  ];
  for (const [why, org, tenant, operator, kind] of rows) {
    it(`${why}: ${kind}`, () => {
      expect(ownershipOf('acme', tenant, { known: org, operator }).kind).to.equal(kind);
    });
  }

  it('says what to do when the proof is missing', () => {
    const states = (['unverified', 'suspended'] as const).map((state) => known({ state }));
    const whys = [undefined, ...states].map((org) => {
      const found = ownershipOf('acme', 'team-a', { known: org, operator: nobody });
      return found.kind === 'unverified' ? found.why : '';
    });
    expect(new Set(whys).size).to.equal(3);
    expect(whys.every((why) => why.length > 10)).to.equal(true);
  });
});

describe('refusedName', () => {
  it('refuses reserved names and look-alikes of what is proven', () => {
    expect(refusedName('orbs', [])).to.equal('orbs is reserved.');
    expect(refusedName('gh-octocat', [])).to.equal('gh-octocat is reserved.');
    expect(refusedName('acrne', [known()])).to.equal('It looks like acme.');
    for (const state of ['verified', 'unverified', 'suspended'] as const)
      expect(refusedName('acrne', [known({ state })]), state).to.equal('It looks like acme.');
  });

  it('lets through what no proven name resembles, and the name itself', () => {
    expect(refusedName('acrne', [])).to.equal(undefined);
    expect(refusedName('globex', [known()])).to.equal(undefined);
    expect(refusedName('acme', [known()])).to.equal(undefined);
  });
});
