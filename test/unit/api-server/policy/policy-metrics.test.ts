import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createPolicyMetrics, type PolicyMetrics } from '../../../../api-server/policy/policy-metrics.ts';
import type { PolicyStanding } from '../../../../api-server/policy/substitute.ts';
import { policySet, type PolicyInForce } from '../../../../core/policy/decision/policy-set.ts';
import { decide, NO_ORBISET_POLICIES } from '../../../../core/policy/decision/decide.ts';
import type { Decision } from '../../../../core/policy/decision/decision.ts';
import { IDLE_POLICIES } from '../../../support/idle-sources.ts';
import { aPolicy, aRule, someFacts } from '../../../support/policies.ts';
import { named, readText, type Sample } from '../../../support/exposition.ts';

const DENY = { rules: [aRule('deny', 'orb.score < 100')] };
// The Orb of these facts has no label `team`.
const FAILING = { rules: [aRule('deny', 'orb.labels.team == "a"')] };

const decisionOf = (...policies: readonly PolicyInForce[]): Decision =>
  decide(policySet(policies, []), someFacts(), 'PreFlight', {
    orbiset: NO_ORBISET_POLICIES,
    namespace: 'acme',
    kept: undefined,
  });

describe('metrics of policies', () => {
  let registry: Registry;
  let metrics: PolicyMetrics;
  let standings: readonly PolicyStanding[];
  let units: readonly { readonly PreFlight?: number; readonly Request?: number }[];
  const read = async (name: string): Promise<readonly Sample[]> =>
    named(readText(`${await registry.metrics()}\n`), name);
  /** Samples that are not 0, as `label label` and value. */
  const counted = async (name: string): Promise<readonly (readonly [string, number])[]> =>
    (await read(name))
      .filter(({ value }) => value !== 0)
      .map(({ labels, value }) => [Object.values(labels).join(' '), value] as const);
  const policiesOf = async (name: string): Promise<readonly unknown[]> =>
    (await read(name)).map(({ labels }) => labels['policy']);
  beforeEach(() => {
    registry = new Registry();
    units = [];
    standings = [];
    metrics = createPolicyMetrics(registry, { ...IDLE_POLICIES, costUnits: () => units, standings: () => standings });
    metrics.setPolicies(['acme/a', 'acme/b']);
  });

  it('exist with 0 before the first decision', async () => {
    expect(await read('orb_policy_decisions_total')).to.have.length(12);
    expect(await counted('orb_policy_decisions_total')).to.deep.equal([]);
    expect(await policiesOf('orb_policy_rule_errors_total')).to.deep.equal(['acme/a', 'acme/b']);
    expect(await policiesOf('orb_policy_shadow_differs_total')).to.have.members(['', 'acme/a', 'acme/b']);
    expect((await read('orb_policy_compile_failures_total')).map(({ value }) => value)).to.deep.equal([0]);
  });

  it('count what held, and beside it what policies in Audit would have decided', async () => {
    metrics.decided(decisionOf(aPolicy(DENY, 'a', 'Audit')), 0.00004);
    metrics.decided(decisionOf(aPolicy(DENY, 'a')), 0.00004);
    expect(await counted('orb_policy_decisions_total')).to.have.deep.members([
      ['PreFlight allow true', 1],
      ['PreFlight deny false', 2],
      ['PreFlight deny true', 1],
    ]);
    expect(await counted('orb_policy_shadow_differs_total')).to.deep.equal([['acme/a', 1]]);
  });

  it('count a policy once for a decision, and a default without a policy', async () => {
    const two = { rules: [...DENY.rules, aRule('deny', 'orb.score < 99', { name: 'other' })] };
    metrics.decided(decisionOf(aPolicy(two, 'b', 'Audit')), 0.00004);
    metrics.decided(decisionOf(aPolicy({ defaultEffect: 'deny', rules: [] }, 'b', 'Audit')), 0.00004);
    expect(await counted('orb_policy_shadow_differs_total')).to.have.deep.members([
      ['', 1],
      ['acme/b', 1],
    ]);
  });

  it('count rules that fail', async () => {
    metrics.decided(decisionOf(aPolicy(FAILING, 'a'), aPolicy(DENY, 'b')), 0.00004);
    expect(await counted('orb_policy_rule_errors_total')).to.deep.equal([['acme/a', 1]]);
  });

  it('have no series of a policy that is gone, also when a last decision names it', async () => {
    const last = decisionOf(aPolicy(FAILING, 'a', 'Audit'));
    metrics.decided(last, 0.00004);
    metrics.setPolicies(['acme/b']);
    metrics.decided(last, 0.00004);
    expect(await policiesOf('orb_policy_rule_errors_total')).to.deep.equal(['acme/b']);
    expect(await policiesOf('orb_policy_shadow_differs_total')).to.have.members(['', 'acme/b']);
  });

  it('have the time of a decision in buckets of microseconds', async () => {
    metrics.decided(decisionOf(aPolicy(DENY)), 0.00004);
    const buckets = await read('orb_policy_decision_duration_seconds_bucket');
    expect(buckets.filter(({ value }) => value === 0).map(({ labels }) => labels['le'])).to.deep.equal([
      '0.00001',
      '0.000025',
    ]);
  });

  it('show the cost of the most expensive set in each phase', async () => {
    units = [{ PreFlight: 200, Request: 10 }, { PreFlight: 50, Request: 30 }, {}];
    expect(await counted('orb_policy_cost_units')).to.deep.equal([
      ['PreFlight', 200],
      ['Request', 30],
    ]);
    units = [];
    expect(await counted('orb_policy_cost_units')).to.deep.equal([]);
  });

  it('say of each policy whether its newest generation is in force, and what is instead', async () => {
    standings = [
      ['acme/a', 'last_good'],
      ['acme/b', 'nothing'],
      ['acme/c', undefined],
    ];
    expect(await policiesOf('orb_policy_not_in_force')).to.have.length(6);
    expect(await counted('orb_policy_not_in_force')).to.have.deep.members([
      ['acme/a last_good', 1],
      ['acme/b nothing', 1],
    ]);
    standings = [['acme/a', undefined]];
    expect(await policiesOf('orb_policy_not_in_force')).to.deep.equal(['acme/a', 'acme/a']);
    expect(await counted('orb_policy_not_in_force')).to.deep.equal([]);
  });

  it('say how long records are kept', async () => {
    expect(await counted('orb_policy_retention_seconds')).to.deep.equal([
      ['decisions', 7_776_000],
      ['replays', 2_592_000],
    ]);
  });

  it('count generations that do not compile', async () => {
    metrics.compileFailed();
    expect(await counted('orb_policy_compile_failures_total')).to.deep.equal([['', 1]]);
  });
});
