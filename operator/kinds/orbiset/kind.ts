import { KINDS } from '../../../adapters/kube/kinds.ts';
import { ORBISET_REASONS } from '../../../core/orbiset/reasons.ts';
import type { OperatorKind } from '../kind.ts';
import { orbisetChanged } from './changed.ts';
import { ORBISET_INDEXES } from './indexes.ts';
import { reconcileOrbiset } from './reconcile.ts';

/** Orbisets: whether they accept runs, and if not, why. */
export const orbisetKind: OperatorKind<'orbiset', 'orbiset'> = {
  name: 'orbiset',
  kind: KINDS.orbiset,
  reasons: ORBISET_REASONS,
  indexes: ORBISET_INDEXES,
  changed: orbisetChanged,
  concerns: [
    {
      name: 'orbiset',
      controller: 'orbiset',
      reconcile: reconcileOrbiset,
      status: {
        fieldManager: 'orb-operator',
        members: ['observedGeneration', 'lastHandledReconcileAt'],
        conditions: ['Ready', 'Reconciling', 'Stalled', 'OrbsResolved'],
      },
    },
  ],
};
