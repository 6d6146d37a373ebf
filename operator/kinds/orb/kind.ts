import { KINDS } from '../../../adapters/kube/kinds.ts';
import { ORB_STATUS_PART } from '../../../core/orb/plan-status.ts';
import { ORB_REASONS } from '../../../core/orb/reasons.ts';
import type { Change } from '../../../adapters/kube/port.ts';
import { keyOf, type KubeObject } from '../../../core/reconcile/kube-object.ts';
import { type OperatorKind, addAll, isEdit, laneOf, namespaceOf, type Enqueue } from '../kind.ts';
import { ORB_INDEXES, namesOfOrb, orbPlace } from './indexes.ts';
import { reconcileOrb } from './reconcile.ts';

const namesOf = (orb: KubeObject | undefined): readonly string[] => (orb === undefined ? [] : namesOfOrb(orb));

/**
 * Names that an Orb may have gained or lost with this change. The claimed name depends on whether the manifest is
 * valid, so an edit may affect all of them. A change of the status only adds or removes names.
 */
function movedNames({ before, after, initial }: Change): readonly string[] {
  if (initial) return [];
  const [old, next] = [namesOf(before), namesOf(after)];
  if (isEdit({ before, after })) return [...new Set([...old, ...next])];
  return [...old.filter((name) => !next.includes(name)), ...next.filter((name) => !old.includes(name))];
}

/** Enqueues the Orb itself, other Orbs that may hold its id now, and Orbisets that list it. */
function orbChanged(change: Change, { queues, stores, forget }: Enqueue): void {
  const lane = laneOf(change);
  if (change.after === undefined) forget(change.key);
  queues.orb.add(change.key, { lane });
  for (const name of movedNames(change)) {
    const duplicates = stores.orb.byIndex('orb', orbPlace(namespaceOf(change), name));
    if (name.includes('@'))
      addAll(
        queues.orb,
        duplicates.filter(({ metadata }) => keyOf(metadata) !== change.key),
      );
    addAll(queues.orbiset, stores.orbiset.byIndex('lists', name));
  }
}

/** Orbs. One controller decides manifest, id and active provider, and writes them together. */
export const orbKind: OperatorKind<'orb', 'orb'> = {
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
      status: { fieldManager: 'orb-operator', ...ORB_STATUS_PART },
    },
  ],
};
