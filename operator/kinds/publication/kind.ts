import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { Change } from '../../../adapters/kube/port.ts';
import { duplicatesOf, PUBLICATION_INDEXES } from '../../../core/publication/publication-holder.ts';
import { PUBLICATION_REASONS } from '../../../core/publication/reasons.ts';
import { addAll, isEdit, laneOf, type Enqueue, type OperatorKind } from '../kind.ts';
import { planPublication } from '../../../core/publication/plan-publication.ts';
import { withoutReports } from '../../../core/publication/stored-publication.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { Context } from '../context.ts';
import { liveObject } from '../live-object.ts';
import { writePlan } from '../write-plan.ts';

/** Enqueues the publication itself, and others that may hold its `orb_id` now. */
function publicationChanged(change: Change, { queues, stores }: Enqueue): void {
  queues.publication.add(change.key, { lane: laneOf(change) });
  if (change.initial || !isEdit(change)) return;
  for (const side of [change.before, change.after])
    if (side !== undefined) addAll(queues.publication, duplicatesOf(side, stores.publication));
}

/** Reconciles whether a publication is published. */
async function reconcilePublication(key: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  const publication = liveObject(context.stores.publication, key);
  if (publication === undefined) return done;
  const { allowedOrigins, clock, owners } = context;
  const duplicates = duplicatesOf(publication, context.stores.publication);
  const plan = planPublication({ publication, duplicates, allowedOrigins }, clock.now());
  return writePlan({ owner: owners.publication, object: publication, plan }, context, signal);
}

/** OrbPublications: whether each is published, by the word of the API. */
export const publicationKind: OperatorKind<'publication', 'publication'> = {
  name: 'publication',
  kind: KINDS.orbpublication,
  reasons: PUBLICATION_REASONS,
  indexes: PUBLICATION_INDEXES,
  cached: () => ({ transform: withoutReports }),
  changed: publicationChanged,
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
