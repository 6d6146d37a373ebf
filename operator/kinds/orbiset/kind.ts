import { KINDS } from '../../../adapters/kube/kinds.ts';
import { ORBISET_REASONS } from '../../../core/orbiset/reasons.ts';
import { type OperatorKind, addAll, isEdit, laneOf, namespaceOf, type Enqueue } from '../kind.ts';
import type { Change } from '../../../adapters/kube/port.ts';
import { orbPlace } from '../orb/indexes.ts';
import { ORBISET_INDEXES, listedOrbs } from './indexes.ts';
import { reconcileOrbiset } from './reconcile.ts';

/** Whether an owner of the RoleBinding was created or deleted. */
const isOwnerChange = ({ before, after, initial }: Change): boolean =>
  initial ||
  before?.metadata.uid !== after?.metadata.uid ||
  before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp;

/**
 * Enqueues the Orbs that an Orbiset may run: it decides where their secrets may go. The first LIST enqueues every Orb
 * anyway.
 */
function enqueueOrbs(change: Change, { queues, stores, platformNamespace }: Enqueue): void {
  if (change.initial || !isEdit(change)) return;
  addAll(queues.orb, stores.orb.byIndex('namespace', namespaceOf(change)), 'low');
  const listed = [change.before, change.after].flatMap((one) => (one === undefined ? [] : listedOrbs(one)));
  for (const name of new Set(listed))
    addAll(queues.orb, stores.orb.byIndex('orb', orbPlace(platformNamespace, name)), 'low');
}

/** Enqueues the Orbiset itself, the Orbs that it may run, and the RoleBinding of its namespace. */
function orbisetChanged(change: Change, enqueue: Enqueue): void {
  const { queues } = enqueue;
  enqueueOrbs(change, enqueue);
  queues.orbiset.add(change.key, { lane: laneOf(change) });
  if (isOwnerChange(change)) queues.roleBinding.add(namespaceOf(change), { lane: laneOf(change) });
}

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
