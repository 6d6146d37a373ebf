import { KINDS } from '../../../adapters/kube/kinds.ts';
import { PUBLICATION_REASONS } from '../../../core/publication/reasons.ts';
import { laneOf, type OperatorKind } from '../kind.ts';
import { reconcilePublication } from './reconcile.ts';

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
