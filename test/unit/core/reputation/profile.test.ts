import { expect } from 'chai';
import { judgeTiers } from '../../../../core/reputation/criteria.ts';
import { deriveInput, type LineEvidence } from '../../../../core/reputation/derive.ts';
import { scoreReputation } from '../../../../core/reputation/formula.ts';
import { NEVER_HELD, type HeldTier } from '../../../../core/reputation/held-tier.ts';
import type { ReputationInput } from '../../../../core/reputation/input.ts';
import { profileOf, type Evaluated, type Profile } from '../../../../core/reputation/profile.ts';
import { R06 } from '../../../support/reputation-input.ts';

const SUBJECT = { orbId: 'acme.echo@1.2.0', manifestDigest: 'sha256:12', asOf: '2026-11-20', logWitnessed: null };
const AT = Date.parse('2026-11-20T00:03:11.000Z');
const NOTHING: LineEvidence = { days: [], events: [] };
const GOLD: HeldTier = {
  ...NEVER_HELD,
  tier: 'gold',
  wasCertified: true,
  since: Date.parse('2026-10-01T00:00:00.000Z'),
};

function profile(input: ReputationInput, some: Partial<Evaluated> = {}): Profile {
  const score = scoreReputation(input);
  return profileOf({
    subject: SUBJECT,
    evidence: NOTHING,
    input,
    score,
    judgement: judgeTiers(input, score),
    held: GOLD,
    history: [],
    at: AT,
    log: { origin: 'orbs.example/log', size: 184_467, rootBase64: 'cm9vdA==' },
    ...some,
  });
}

const at = '2026-11-10T12:00:00.000Z';
const base = { orb_id: SUBJECT.orbId, manifest_digest: SUBJECT.manifestDigest, at };
const counts = { success: 0, within_slo: 0, failed: 0, caller_error: 0, platform_error: 0, policy_denied: 0 };
const row = { manifestDigest: SUBJECT.manifestDigest, callerTag: 'ct_a', day: '2026-11-19', self: false, ...counts };

const audit = (index: number, day: string, invalid: number) => ({
  index,
  entry: { kind: 'audit' as const, checked: 1000, invalid, ...base, at: `${day}T00:00:00.000Z` },
});

describe('profileOf', () => {
  it('has every member of trust.md §5.5', () => {
    const { criteria, ...rest } = profile(R06);
    expect(rest).to.deep.equal({
      orb_id: 'acme.echo@1.2.0',
      manifest_digest: 'sha256:12',
      reputation_score: 96,
      score_bp: 9692,
      certification_tier: 'gold',
      computed_tier: 'gold',
      tier_status: 'stable',
      tier_since: '2026-10-01T00:00:00.000Z',
      confidence: 'high',
      algorithm: 'orb-reputation/1',
      computed_at: '2026-11-20T00:03:11.000Z',
      computed_over: { origin: 'orbs.example/log', tree_size: 184_467, root_hash: 'cm9vdA==', as_of: '2026-11-20' },
      evidence: {
        n_eff: 1000,
        s_eff: 990,
        l_eff: 960,
        callers: 25,
        excluded: { self: 0, caller_error: 0, platform_error: 0, policy_denied: 0 },
      },
      components: [
        {
          id: 'reliability',
          value: 0.931745,
          weight: 45,
          points: 41.9,
          lost: 3.1,
          why: '990 of 1000 effective runs succeeded; lower bound 98.2 %',
        },
        {
          id: 'latency',
          value: 1,
          weight: 15,
          points: 15,
          lost: 0,
          why: '960 of 990 successful runs were within slo_ms; lower bound 95.7 %',
        },
        {
          id: 'tests',
          value: 1,
          weight: 40,
          points: 40,
          lost: 0,
          why: '24 of 24 required tests passed 5 days ago, backed by receipts',
        },
      ],
      penalties: [
        { id: 'violations', factor: 1, items: [] },
        { id: 'incidents', factor: 1, items: [] },
        { id: 'receipts', factor: 1, items: [] },
      ],
      caps: [],
      next_tier: {
        tier: 'platinum',
        missing: [
          { id: 'RUNS_EFFECTIVE_GE_5000', required: 5000, actual: 1000 },
          { id: 'RELIABILITY_GE_0_99', required: 0.99, actual: 0.98169 },
          { id: 'CALLERS_GE_50', required: 50, actual: 25 },
          { id: 'AGE_DAYS_GE_180', required: 180, actual: 60 },
          { id: 'TESTS_INDEPENDENT', required: 'independent', actual: 'receipted' },
        ],
        held_since: null,
      },
      history: [],
    });
    expect(criteria).to.have.lengthOf(27);
    expect(criteria).to.deep.include({ id: 'CALLERS_GE_20', tier: 'gold', met: true, required: 20, actual: 25 });
  });

  it('says since when a tier waits for its promotion, and that nothing is missing', () => {
    const held: HeldTier = {
      ...NEVER_HELD,
      tier: 'bronze',
      wasCertified: true,
      since: AT,
      reachedSince: { silver: AT },
    };
    expect(profile(R06, { held }).next_tier).to.deep.equal({
      tier: 'silver',
      missing: [],
      held_since: '2026-11-20T00:03:11.000Z',
    });
  });

  it('says what a tier that is at risk lacks', () => {
    const young = { ...R06, meta: { ...R06.meta, age_days: 44 } };
    const { next_tier: next, ...rest } = profile(young, { held: { ...GOLD, status: 'at_risk', atRiskSince: AT } });
    expect(rest).to.deep.include({ certification_tier: 'gold', computed_tier: 'silver', tier_status: 'at_risk' });
    expect(next).to.deep.equal({
      tier: 'gold',
      missing: [{ id: 'AGE_DAYS_GE_45', required: 45, actual: 44 }],
      held_since: null,
    });
  });

  it('has no next tier at platinum', () => {
    const platinum = profile(
      {
        ...R06,
        groups: R06.groups.flatMap((group) =>
          Array.from({ length: 8 }, (_, copy) => ({
            ...group,
            caller: `${group.caller}${copy}`,
            success: 40,
            within_slo: 40,
          })),
        ),
        tests: R06.tests === null ? null : { ...R06.tests, provenance: 'independent' },
        meta: { ...R06.meta, age_days: 200 },
      },
      { held: { ...GOLD, tier: 'platinum' } },
    );
    expect([platinum.computed_tier, platinum.next_tier]).to.deep.equal(['platinum', null]);
  });

  it('names the entries behind each penalty, and what each takes', () => {
    const evidence: LineEvidence = {
      days: [],
      events: [
        { index: 5, entry: { kind: 'violation', rule: 'no-http', severity: 'high', receipt_id: null, ...base } },
        {
          index: 6,
          entry: {
            kind: 'incident',
            incident_id: 'inc_1',
            orb_id: base.orb_id,
            impact: 'minor',
            event: 'opened',
            attributed: true,
            at,
          },
        },
        {
          index: 7,
          entry: {
            kind: 'incident',
            incident_id: 'inc_1',
            orb_id: base.orb_id,
            impact: 'major',
            event: 'updated',
            attributed: true,
            at,
          },
        },
        { index: 8, entry: { kind: 'audit', checked: 500, invalid: 0, ...base } },
        { index: 9, entry: { kind: 'audit', checked: 500, invalid: 5, ...base } },
        { index: 10, entry: { kind: 'audit', checked: 9, invalid: 9, ...base, at: '2026-10-01T00:00:00.000Z' } },
      ],
    };
    const { penalties, caps } = profile(deriveInput(evidence, SUBJECT), { evidence });
    expect(penalties).to.deep.equal([
      { id: 'violations', factor: 0.62965, items: [{ log_index: 5, severity: 'high', age_days: 10, effect: 0.37035 }] },
      { id: 'incidents', factor: 0.7, items: [{ log_index: 7, severity: 'major', age_days: 0, effect: 0.3 }] },
      { id: 'receipts', factor: 0.5, items: [{ log_index: 9, severity: null, age_days: 10, effect: 0.5 }] },
    ]);
    expect(caps).to.deep.equal(['tests_not_current']);
  });

  it('counts audits for 30 days, in the items as in the factor', () => {
    const evidence: LineEvidence = {
      days: [],
      events: [
        audit(1, '2026-10-20', 8),
        audit(2, '2026-10-21', 1),
        audit(3, '2026-11-13', 2),
        audit(4, '2026-11-12', 4),
      ],
    };
    const input = deriveInput(evidence, SUBJECT);
    expect(input.receipts).to.deep.equal({ total: 3000, invalid: 7, invalid_7d: 2 });
    const [receipts] = profile(input, { evidence }).penalties.filter(({ id }) => id === 'receipts');
    expect(receipts?.items.map(({ log_index: index, age_days: age }) => [index, age])).to.deep.equal([
      [2, 30],
      [3, 7],
      [4, 8],
    ]);
  });

  it('counts each excluded run of the last 90 days once', () => {
    const days = [
      { ...row, caller_error: 4, platform_error: 1, policy_denied: 9, success: 100, failed: 3 },
      { ...row, self: true, success: 10, failed: 1, policy_denied: 1, caller_error: 2, platform_error: 3 },
      { ...row, day: '2026-08-22', caller_error: 2 },
      { ...row, day: '2026-08-21', caller_error: 7 },
    ];
    expect(profile(R06, { evidence: { days, events: [] } }).evidence.excluded).to.deep.equal({
      self: 17,
      caller_error: 6,
      platform_error: 1,
      policy_denied: 9,
    });
  });

  it('shows the newest 20 changes of the tier', () => {
    const history = Array.from({ length: 21 }, (_, index) => ({
      index: 100 - index,
      entry: {
        kind: 'tier_change' as const,
        from: 'bronze' as const,
        to: 'silver' as const,
        tier_status: 'stable' as const,
        score_bp: 9499,
        algorithm: 'orb-reputation/1',
        as_of: '2026-11-10',
        tree_size: 90,
        criteria_failed: [],
        ...base,
      },
    }));
    const shown = profile(R06, { history }).history;
    expect(shown).to.have.lengthOf(20);
    expect(shown[0]).to.deep.equal({ at, score: 94, tier: 'silver', log_index: 100 });
  });

  const tests: readonly (readonly [why: string, tests: ReputationInput['tests'], sentence: string])[] = [
    ['without a report', null, 'no test report of this version'],
    [
      'with a report of the publisher alone',
      { required: 4, passed: 3, age_days: 0, digest_match: true, provenance: 'self_reported' },
      '3 of 4 required tests passed today, self-reported, which counts half',
    ],
    [
      'with an old report',
      { required: 4, passed: 4, age_days: 91, digest_match: true, provenance: 'independent' },
      '4 of 4 required tests passed 91 days ago, backed by receipts of other tenants; reports older than 90 days do not count',
    ],
    [
      'with a report that requires nothing',
      { required: 0, passed: 0, age_days: 1, digest_match: true, provenance: 'platform' },
      'the newest test report requires nothing',
    ],
  ];
  for (const [why, given, sentence] of tests) {
    it(`explains a score ${why} and without runs`, () => {
      const { components } = profile({ ...R06, groups: [], tests: given });
      expect(components.map((part) => part.why)).to.deep.equal([
        'no effective runs',
        'no effective run succeeded',
        sentence,
      ]);
    });
  }
});
