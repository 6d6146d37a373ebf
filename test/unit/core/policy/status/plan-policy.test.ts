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

const planned = (spec: unknown, status: KubeObject['status'] = {}): Plan => {
  const metadata = { name: 'policy', namespace: 'acme', uid: 'u', resourceVersion: '1', generation: 4 };
  return planPolicy(
    { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata, spec, status },
    STARTED_AT,
    CEL_ENGINE,
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

const gate = (observedGeneration: number): KubeObject['status'] => ({
  conditions: [
    {
      type: 'ReplayGatePassed',
      status: 'True',
      reason: 'Passed',
      message: '',
      observedGeneration,
      lastTransitionTime: '',
    },
  ],
});

describe('the status of a policy', () => {
  const rows: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['accepts one without rules', {}, ['Ready True Accepted', 'Compiled True Compiled', 'TestsPassed True NoTests']],
    [
      'accepts one whose tests pass',
      { rules: [RULE], tests: [TEST] },
      ['Ready True Accepted', 'Compiled True Compiled', 'TestsPassed True TestsPassed'],
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

  it('has only documented reasons', () => {
    const documented = Object.entries(POLICY_REASONS).flatMap(([type, reasons]) =>
      Object.entries(reasons).map(([reason, { status }]) => `${type} ${status} ${reason}`),
    );
    const used = rows.flatMap(([, spec]) => shownConditions(planned(spec)));
    expect(used.filter((one) => !documented.includes(one))).to.deep.equal([]);
    expect(documented.filter((one) => !used.includes(one))).to.deep.equal([]);
  });
});
