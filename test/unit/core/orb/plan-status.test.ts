import { expect } from 'chai';
import type { FailoverPlan } from '../../../../core/orb/plan-failover.ts';
import { joinPlans, ORB_STATUS_PART } from '../../../../core/orb/plan-status.ts';
import type { Condition } from '../../../../core/reconcile/conditions.ts';
import type { Outcome } from '../../../../core/reconcile/outcome.ts';
import type { StatusPlan } from '../../../../core/reconcile/plan.ts';

const condition = (type: string): Condition => ({
  type,
  status: 'True',
  reason: 'Because',
  message: 'It holds.',
  observedGeneration: 1,
  lastTransitionTime: '2026-02-01T10:00:00Z',
});

const verdict = (outcome: Outcome): StatusPlan => ({
  status: { observedGeneration: 1, conditions: [condition('Ready')] },
  events: [],
  outcome,
});
const failover = (outcome: Outcome): FailoverPlan => ({
  status: { failover: { activeProvider: 'a' }, conditions: [condition('PinValid'), condition('ProvidersResolved')] },
  events: [],
  outcome,
});

const done: Outcome = { kind: 'done' };
const stalled: Outcome = { kind: 'stalled', reason: 'ManifestInvalid', message: 'no' };
const later: Outcome = { kind: 'requeue-after', ms: 7, why: 'a pin or a freeze ends' };

describe('joinPlans', () => {
  it('makes one status of both, with the conditions by type', () => {
    const { status } = joinPlans(verdict(done), failover(done));
    expect(status).to.deep.equal({
      observedGeneration: 1,
      failover: { activeProvider: 'a' },
      conditions: [condition('PinValid'), condition('ProvidersResolved'), condition('Ready')],
    });
  });

  const rows: readonly (readonly [string, Outcome, Outcome, Outcome])[] = [
    ['is done when both are', done, done, done],
    ['runs again when a pin ends', done, later, later],
    ['waits for a person', stalled, done, stalled],
    ['waits for a person, and runs again when a pin ends', stalled, later, { ...stalled, ms: 7 }],
  ];
  for (const [why, one, other, expected] of rows) {
    it(why, () => {
      expect(joinPlans(verdict(one), failover(other)).outcome).to.deep.equal(expected);
    });
  }

  it('has parts that share no member and no condition', () => {
    const { members, conditions } = ORB_STATUS_PART;
    expect(new Set([...members, ...conditions]).size).to.equal(members.length + conditions.length);
  });
});
