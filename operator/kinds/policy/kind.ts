import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { Change } from '../../../adapters/kube/port.ts';
import { CEL_ENGINE } from '../../../core/policy/language/cel-engine.ts';
import { planPolicy } from '../../../core/policy/status/plan-policy.ts';
import { POLICY_REASONS } from '../../../core/policy/status/reasons.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { Context } from '../context.ts';
import { laneOf, type Enqueue, type OperatorKind } from '../kind.ts';
import { liveObject } from '../live-object.ts';
import { writePlan } from '../write-plan.ts';

const policyChanged = (change: Change, { queues }: Enqueue): void =>
  queues.policy.add(change.key, { lane: laneOf(change) });

/** Reconciles whether a policy compiles and passes its tests. */
async function reconcilePolicy(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const policy = liveObject(context.stores.policy, key);
  if (policy === undefined) return done;
  const { clock, platformNamespace } = context;
  const plan = planPolicy(policy, { engine: CEL_ENGINE, platformNamespace, now: clock.now() });
  return writePlan({ owner: context.owners.policy, object: policy, plan }, context, signal);
}

/** OrbPolicies: whether each compiles and passes its tests. */
export const policyKind: OperatorKind<'policy', 'policy'> = {
  name: 'policy',
  kind: KINDS.orbpolicy,
  reasons: POLICY_REASONS,
  changed: policyChanged,
  concerns: [
    {
      name: 'policy',
      controller: 'orbpolicy',
      reconcile: reconcilePolicy,
      status: {
        fieldManager: 'orb-operator',
        members: [
          'observedGeneration',
          'lastHandledReconcileAt',
          'policyDigest',
          'effectiveMode',
          'readsFacts',
          'costUnits',
          'tests',
        ],
        conditions: ['Ready', 'Stalled', 'Compiled', 'TestsPassed', 'Enforced'],
      },
    },
  ],
};
