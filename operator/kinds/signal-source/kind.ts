import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { Change } from '../../../adapters/kube/port.ts';
import { planSource } from '../../../core/ingestion/source/plan-source.ts';
import { SOURCE_REASONS } from '../../../core/ingestion/source/reasons.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { Context } from '../context.ts';
import { laneOf, type Enqueue, type OperatorKind } from '../kind.ts';
import { liveObject } from '../live-object.ts';
import { writePlan } from '../write-plan.ts';

const sourceChanged = (change: Change, { queues }: Enqueue): void =>
  queues.signalSource.add(change.key, { lane: laneOf(change) });

async function reconcileSource(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const source = liveObject(context.stores.signalSource, key);
  if (source === undefined) return done;
  const { clock, platformNamespace } = context;
  const plan = planSource(source, { platformNamespace, now: clock.now() });
  return writePlan({ owner: context.owners.signalSource, object: source, plan }, context, signal);
}

/** OrbSignalSources: whether each is valid, and its expressions compile. */
export const signalSourceKind: OperatorKind<'signalSource', 'signalSource'> = {
  name: 'signalSource',
  kind: KINDS.orbsignalsource,
  reasons: SOURCE_REASONS,
  changed: sourceChanged,
  concerns: [
    {
      name: 'signalSource',
      controller: 'orbsignalsource',
      reconcile: reconcileSource,
      status: {
        fieldManager: 'orb-operator',
        members: ['observedGeneration', 'lastHandledReconcileAt'],
        conditions: ['Ready', 'Reconciling', 'Stalled'],
      },
    },
  ],
};
