import { expect } from 'chai';
import { CEL_ENGINE } from '../../../../../core/policy/language/cel-engine.ts';
import { planPolicy } from '../../../../../core/policy/status/plan-policy.ts';
import { POLICY_REASONS } from '../../../../../core/policy/status/reasons.ts';
import type { KubeObject } from '../../../../../core/reconcile/kube-object.ts';
import type { Plan } from '../../../../../core/reconcile/plan.ts';
import { listAt, member } from '../../../../../core/json/members.ts';
import { STARTED_AT } from '../../../../support/policies.ts';

const RULE = { name: 'low', effect: 'deny', when: 'orb.score < 50' };
const TEST = { name: 'denies', input: { orb: { score: 1 } }, expect: { decision: 'deny', rule: 'low' } };
const GATED = { mode: 'Enforce', promotion: { requireReplay: {} } };

const planned = (spec: unknown, status: KubeObject['status'] = {}, now = STARTED_AT): Plan => {
  const metadata = { name: 'policy', namespace: 'acme', uid: 'u', resourceVersion: '1', generation: 4 };
  return planPolicy(
    { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata, spec, status },
    { engine: CEL_ENGINE, platformNamespace: 'orb-system', now },
  );
};

const textAt = (value: unknown, name: string): string => {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
};

/** Type, status and reason of each condition; sorted. */
const shownConditions = ({ status }: Plan): readonly string[] =>
  listAt(status, 'conditions')
    .map((condition) => ['type', 'status', 'reason'].map((name) => textAt(condition, name)).join(' '))
    .toSorted();

const reported = (type: string, status: string, observedGeneration = 4, at = STARTED_AT): KubeObject['status'] => {
  const lastTransitionTime = new Date(at).toISOString();
  return { conditions: [{ type, status, reason: 'Said', message: 'said', observedGeneration, lastTransitionTime }] };
};
const gate = (observedGeneration: number): KubeObject['status'] =>
  reported('ReplayGatePassed', 'True', observedGeneration);
const DAY_MS = 86_400_000;

describe('the status of a policy', () => {
  const rows: readonly (readonly [string, unknown, readonly string[]])[] = [
    [
      'accepts one without rules',
      {},
      ['Ready True Accepted', 'Compiled True Compiled', 'TestsPassed True NoTests', 'Enforced False Audited'],
    ],
    [
      'accepts one whose tests pass',
      { rules: [RULE], tests: [TEST], mode: 'Enforce' },
      ['Ready True Accepted', 'Compiled True Compiled', 'TestsPassed True TestsPassed', 'Enforced True Enforced'],
    ],
    [
      'refuses one whose tests fail',
      { rules: [RULE], tests: [{ ...TEST, input: { orb: { score: 60 } } }] },
      [
        'Ready False TestsFailed',
        'Stalled True TestsFailed',
        'Compiled True Compiled',
        'TestsPassed False TestsFailed',
      ],
    ],
    [
      'refuses one that does not compile',
      { rules: [{ ...RULE, when: 'orb.scor < 1' }] },
      ['Ready False CompileFailed', 'Stalled True CompileFailed', 'Compiled False CompileFailed'],
    ],
    [
      'refuses one for every tenant outside of the namespace of the platform',
      { scope: 'Platform' },
      ['Ready False ScopeNotAllowed', 'Stalled True ScopeNotAllowed'],
    ],
    ['refuses members that do not exist', { rule: [] }, ['Ready False SpecInvalid', 'Stalled True SpecInvalid']],
    ['refuses a spec that is absent', undefined, ['Ready False SpecInvalid', 'Stalled True SpecInvalid']],
    [
      'shows one that is disabled',
      { mode: 'Disabled' },
      ['Ready False Disabled', 'Compiled True Compiled', 'TestsPassed True NoTests'],
    ],
  ];
  for (const [why, spec, conditions] of rows)
    it(why, () => expect(shownConditions(planned(spec))).to.deep.equal(conditions.toSorted()));

  const modes: readonly (readonly [string, unknown, KubeObject['status'], string])[] = [
    ['Enforce without a gate', { mode: 'Enforce' }, {}, 'Enforce'],
    ['Audit until the gate is passed', GATED, {}, 'Audit'],
    ['Audit when another generation passed it', GATED, gate(3), 'Audit'],
    ['Enforce when this one did', GATED, gate(4), 'Enforce'],
    ['Audit by default', {}, {}, 'Audit'],
  ];
  for (const [why, spec, status, mode] of modes)
    it(`shows ${why}`, () => expect(planned(spec, status).status).to.deep.include({ effectiveMode: mode }));

  it('shows what was found out, and says what to write', () => {
    const plan = planned({ rules: [RULE], tests: [TEST] });
    expect(plan.status).to.deep.include({
      readsFacts: ['orb.score'],
      costUnits: { PreFlight: 15 },
      tests: { passed: 1, failed: 0 },
    });
    const { events } = planned({ rules: [{ ...RULE, when: 'orb.scor < 1' }] });
    expect(events.map(({ type, reason }) => [type, reason])).to.deep.equal([['Warning', 'CompileFailed']]);
    expect(events[0]?.note).to.include('did you mean orb.score?');
  });

  it('is stalled while the API says that it does not fit into the budget, and not for what it said before', () => {
    expect(shownConditions(planned({}, reported('WithinBudget', 'False')))).to.deep.equal([
      'Compiled True Compiled',
      'Enforced False Audited',
      'Ready False CostBudget',
      'Stalled True CostBudget',
      'TestsPassed True NoTests',
    ]);
    expect(shownConditions(planned({}, reported('WithinBudget', 'False', 3)))).to.include('Ready True Accepted');
  });

  it('warns when it has audited for more than 90 days, also after a generation that was refused', () => {
    const status = reported('Enforced', 'False');
    const within = planned({}, status, STARTED_AT + 89 * DAY_MS);
    expect(shownConditions(within)).to.include('Enforced False Audited');
    expect(within.outcome).to.deep.equal({ kind: 'requeue-after', ms: DAY_MS, why: 'it has audited for 90 days' });
    const broken = planned({ rule: [] }, status, STARTED_AT + 89 * DAY_MS);
    const after = planned({}, broken.status, STARTED_AT + 90 * DAY_MS);
    expect(shownConditions(after)).to.include('Enforced False AuditedTooLong');
    expect(after.events.map(({ type, reason }) => [type, reason])).to.deep.include(['Warning', 'AuditedTooLong']);
    const again = planned({}, after.status, STARTED_AT + 91 * DAY_MS);
    expect(again.events).to.deep.equal([]);
  });

  it('has only documented reasons', () => {
    const ofTheApi = ['ReplayGatePassed', 'WithinBudget'];
    const documented = Object.entries(POLICY_REASONS)
      .filter(([type]) => !ofTheApi.includes(type))
      .flatMap(([type, reasons]) =>
        Object.entries(reasons).map(([reason, { status }]) => `${type} ${status} ${reason}`),
      );
    const used = [
      ...rows.flatMap(([, spec]) => shownConditions(planned(spec))),
      ...shownConditions(planned({}, reported('WithinBudget', 'False'))),
      ...shownConditions(planned({}, reported('Enforced', 'False'), STARTED_AT + 91 * DAY_MS)),
    ];
    expect(used.filter((one) => !documented.includes(one))).to.deep.equal([]);
    expect(documented.filter((one) => !used.includes(one))).to.deep.equal([]);
  });
});
