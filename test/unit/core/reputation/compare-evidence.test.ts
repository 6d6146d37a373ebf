import { expect } from 'chai';
import { differingMembers, scoreFacts, type ScoreFacts } from '../../../../core/reputation/compare-evidence.ts';

const criterion = { id: 'SCORE_GE_40', tier: 'bronze', met: true, required: 40, actual: 50 } as const;
const FACTS: ScoreFacts = {
  manifestDigest: 'sha256:12',
  scoreBp: 5000,
  computedTier: 'bronze',
  criteria: [criterion, { ...criterion, id: 'CALLERS_GE_5', tier: 'silver', met: false }],
};

const publish = (orbId: string, digest: string) => ({
  index: 0,
  entry: {
    kind: 'publish',
    orb_id: orbId,
    manifest_digest: digest,
    org: 'acme',
    ontology: 'messaging/email@1',
    at: '2026-11-10T12:00:00.000Z',
  } as const,
});

describe('differingMembers', () => {
  const rows: readonly (readonly [why: string, other: Partial<ScoreFacts>, members: readonly string[]])[] = [
    ['nothing', {}, []],
    ['the version', { manifestDigest: null }, ['manifest_digest']],
    ['the score', { scoreBp: 5001 }, ['score_bp']],
    ['the tier', { computedTier: 'silver' }, ['computed_tier']],
    [
      'a criterion that is met',
      { criteria: [criterion, { ...FACTS.criteria[1], ...criterion }] },
      ['criteria.CALLERS_GE_5'],
    ],
    ['a value', { criteria: [{ ...criterion, actual: 51 }, ...FACTS.criteria.slice(1)] }, ['criteria.SCORE_GE_40']],
    ['a criterion that is missing', { criteria: [criterion] }, ['criteria.CALLERS_GE_5']],
    [
      'all',
      { manifestDigest: 'x', scoreBp: 0, computedTier: '', criteria: [] },
      ['manifest_digest', 'score_bp', 'computed_tier', 'criteria.SCORE_GE_40', 'criteria.CALLERS_GE_5'],
    ],
  ];
  for (const [why, other, members] of rows)
    it(`names ${why}`, () => expect(differingMembers(FACTS, { ...FACTS, ...other })).to.deep.equal(members));
});

describe('scoreFacts', () => {
  it('has no version without its own entry', () => {
    expect(scoreFacts({ days: [], events: [] }, 'acme.echo@1.2.0', '2026-11-20').manifestDigest).to.equal(null);
    const other = { days: [], events: [publish('acme.echo@1.3.0', 'sha256:13')] };
    expect(scoreFacts(other, 'acme.echo@1.2.0', '2026-11-20').manifestDigest).to.equal(null);
    const both = { days: [], events: [...other.events, publish('acme.echo@1.2.0', 'sha256:12')] };
    expect(scoreFacts(both, 'acme.echo@1.2.0', '2026-11-20').manifestDigest).to.equal('sha256:12');
  });
});
