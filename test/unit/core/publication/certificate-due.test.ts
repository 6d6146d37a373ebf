import { expect } from 'chai';
import {
  certificateStep,
  type CertificateStep,
  type IssuedCertificate,
} from '../../../../core/publication/certificate-due.ts';
import type { OrbStatus } from '../../../../core/publication/listed-orb.ts';
import type { Tier } from '../../../../core/reputation/criteria.ts';
import type { TierStatus } from '../../../../core/reputation/held-tier.ts';
import type { Evaluation } from '../../../../core/reputation/evaluation.ts';
import { NEVER_HELD } from '../../../../core/reputation/held-tier.ts';
import { scoreReputation } from '../../../../core/reputation/formula.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;

const nothing = scoreReputation({
  groups: [],
  tests: null,
  violations: [],
  incidents: [],
  receipts: { total: 0, invalid: 0, invalid_7d: 0 },
  suspended: false,
  meta: { namespace_verified: false, age_days: 0, namespace_suspension_age_days: null, log_witnessed: null },
});
const evaluation = (tier: Tier, status: TierStatus, score: number): Pick<Evaluation, 'held' | 'score'> => ({
  held: { ...NEVER_HELD, tier, status },
  score: { ...nothing, score },
});
const issued = (change: Partial<IssuedCertificate> = {}): IssuedCertificate => ({
  tier: 'gold',
  tierStatus: 'stable',
  score: 90,
  issuedAt: NOON - 3_600_000,
  revoked: false,
  ...change,
});

describe('certificateStep', () => {
  const gold = evaluation('gold', 'stable', 90);
  const low = evaluation('gold', 'stable', 89);
  const rows: [why: string, OrbStatus, typeof gold, IssuedCertificate | undefined, CertificateStep][] = [
    ['the first one', 'active', gold, undefined, 'issue'],
    ['one of today that says the same', 'active', gold, issued(), 'none'],
    ['one of yesterday', 'active', gold, issued({ issuedAt: NOON - DAY_MS }), 'issue'],
    ['another tier', 'active', evaluation('silver', 'stable', 90), issued(), 'issue'],
    ['another state of the tier', 'active', evaluation('gold', 'at_risk', 90), issued(), 'issue'],
    ['another score', 'active', evaluation('gold', 'stable', 89), issued(), 'issue'],
    ['another score in the second of the one before', 'active', low, issued({ issuedAt: NOON }), 'wait'],
    [
      'one that was revoked in the second of its issue',
      'active',
      gold,
      issued({ issuedAt: NOON, revoked: true }),
      'wait',
    ],
    ['another score a second later', 'active', low, issued({ issuedAt: NOON - 1 }), 'issue'],
    ['one of this second that says the same', 'active', gold, issued({ issuedAt: NOON }), 'none'],
    ['a version that is yanked in the second of its issue', 'yanked', gold, issued({ issuedAt: NOON }), 'revoke'],
    ['a revoked one', 'active', gold, issued({ revoked: true }), 'issue'],
    ['a deprecated version', 'deprecated', gold, undefined, 'issue'],
    ['a yanked version', 'yanked', gold, issued(), 'revoke'],
    ['a suspended version', 'suspended', gold, issued(), 'revoke'],
    ['a yanked version without one', 'yanked', gold, undefined, 'none'],
    ['a yanked version, once more', 'yanked', gold, issued({ revoked: true }), 'none'],
    ['below bronze', 'active', evaluation('uncertified', 'stable', 30), issued(), 'revoke'],
    ['below bronze without one', 'active', evaluation('uncertified', 'stable', 30), undefined, 'none'],
  ];
  for (const [why, status, now, newest, step] of rows) {
    it(`${why}: ${step}`, () => {
      expect(certificateStep(status, now, newest, NOON)).to.equal(step);
    });
  }

  it('begins a day at midnight in UTC', () => {
    const midnight = Date.parse('2026-11-20T00:00:00Z');
    expect(certificateStep('active', gold, issued({ issuedAt: midnight - 1 }), midnight)).to.equal('issue');
    expect(certificateStep('active', gold, issued({ issuedAt: midnight }), midnight + DAY_MS - 1)).to.equal('none');
  });
});
