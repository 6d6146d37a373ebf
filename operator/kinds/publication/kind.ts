import { KINDS } from '../../../adapters/kube/kinds.ts';
import { PUBLICATION_REASONS } from '../../../core/publication/reasons.ts';
import { laneOf, type OperatorKind } from '../kind.ts';
import { planPublication } from '../../../core/publication/plan-publication.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { Context } from '../context.ts';
import { liveObject } from '../live-object.ts';
import { writePlan } from '../write-plan.ts';

/** Reconciles whether a publication can be evaluated. */
async function reconcilePublication(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const publication = liveObject(context.stores.publication, key);
  if (publication === undefined) return done;
  const { allowedOrigins, clock, owners } = context;
  const plan = planPublication({ publication, allowedOrigins }, clock.now());
  return writePlan({ owner: owners.publication, object: publication, plan }, context, signal);
}

/** OrbPublications: whether each can be evaluated. */
export const publicationKind: OperatorKind<'publication', 'publication'> = {
  name: 'publication',
  kind: KINDS.orbpublication,
  reasons: PUBLICATION_REASONS,
  changed: (change, { queues }) => queues.publication.add(change.key, { lane: laneOf(change) }),
  concerns: [
    {
      name: 'publication',
      controller: 'orbpublication',
      reconcile: reconcilePublication,
      status: {
        fieldManager: 'orb-operator',
        members: ['observedGeneration', 'lastHandledReconcileAt', 'manifestDigest'],
        conditions: ['Ready', 'Reconciling', 'Stalled'],
      },
    },
  ],
};
