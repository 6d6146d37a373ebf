import { KINDS } from '../../../adapters/kube/kinds.ts';
import { ORB_REASONS } from '../../../core/orb/reasons.ts';
import { SWAP_CONDITIONS } from '../../../core/failover/conditions.ts';
import { reconcileFailover } from './reconcile-failover.ts';
import type { OperatorKind } from '../kind.ts';
import { orbChanged } from './changed.ts';
import { ORB_INDEXES } from './indexes.ts';
import { reconcileOrb } from './reconcile.ts';

/** Orbs. One controller handles manifest and id, the other the active provider. */
export const orbKind: OperatorKind<'orb', 'orb' | 'failover'> = {
  name: 'orb',
  kind: KINDS.orb,
  reasons: ORB_REASONS,
  indexes: ORB_INDEXES,
  changed: orbChanged,
  concerns: [
    {
      name: 'orb',
      controller: 'orb',
      reconcile: reconcileOrb,
      status: {
        fieldManager: 'orb-operator',
        members: ['observedGeneration', 'lastHandledReconcileAt', 'validDigest', 'lastValid'],
        conditions: ['Ready', 'Reconciling', 'Stalled', 'SecretsBound'],
      },
    },
    {
      name: 'failover',
      controller: 'orb-failover',
      reconcile: reconcileFailover,
      // When thousands of Orbs change at once, the API server is the bottleneck. Whether they run is reported first.
      share: 0.5,
      status: {
        fieldManager: 'orb-operator-failover',
        members: ['failover'],
        conditions: ['ProvidersResolved', 'PinValid', ...SWAP_CONDITIONS],
      },
    },
  ],
};
