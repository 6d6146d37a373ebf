import { KINDS } from '../adapters/kube/kinds.ts';
import type { OwnWrites } from '../adapters/kube/own-writes.ts';
import type { StatusOwner } from '../adapters/kube/status-writer.ts';
import { SWAP_CONDITIONS } from '../core/failover/conditions.ts';
import type { Owners, Stores } from './context.ts';

const KSTATUS = ['Ready', 'Reconciling', 'Stalled'];
const SEEN = ['observedGeneration', 'lastHandledReconcileAt'];

/** Writes that the caches must have seen before their keys are looked at again. */
export interface StatusWrites {
  readonly orb: OwnWrites;
  readonly orbiset: OwnWrites;
  readonly publication: OwnWrites;
}

/** The operator's parts of the statuses, as security.md §6.1 divides them. */
export function statusOwners(stores: Omit<Stores, 'roleBinding'>, writes: StatusWrites): Owners {
  const operator = { fieldManager: 'orb-operator' };
  const orb: Pick<StatusOwner, 'kind' | 'store' | 'writes'> = {
    kind: KINDS.orb,
    store: stores.orb,
    writes: writes.orb,
  };
  return {
    orb: {
      ...orb,
      ...operator,
      members: [...SEEN, 'validDigest', 'lastValid'],
      conditions: [...KSTATUS, 'SecretsBound'],
    },
    failover: {
      ...orb,
      fieldManager: 'orb-operator-failover',
      members: ['failover'],
      conditions: ['ProvidersResolved', 'PinValid', ...SWAP_CONDITIONS],
    },
    orbiset: {
      ...operator,
      kind: KINDS.orbiset,
      store: stores.orbiset,
      writes: writes.orbiset,
      members: SEEN,
      conditions: [...KSTATUS, 'OrbsResolved'],
    },
    publication: {
      ...operator,
      kind: KINDS.publication,
      store: stores.publication,
      writes: writes.publication,
      members: [...SEEN, 'manifestDigest'],
      conditions: KSTATUS,
    },
  };
}
