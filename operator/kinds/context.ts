import type { EventRecorder } from '../../adapters/kube/event-recorder.ts';
import type { KubeClient, Store } from '../../adapters/kube/port.ts';
import type { StatusOwner, StatusWriter } from '../../adapters/kube/status-writer.ts';
import type { OwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { ApiIdentity, VaultMode } from '../../core/orbiset/vault-reader.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { FailoverState } from '../failover/failover-state.ts';
import type { ConcernName, KindName } from './kinds.ts';
import type { Judgements } from './orb/judgements.ts';

/** The caches, by kind. Reconcilers read nothing else. */
export type Stores = Readonly<Record<KindName, Store>>;

/** Everything that a reconcile may use. */
export interface Context extends ApiIdentity {
  readonly stores: Stores;
  /** Writer of each part of each status (security.md §6.1). */
  readonly owners: Readonly<Record<ConcernName, StatusOwner>>;
  readonly writer: StatusWriter;
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly judgements: Judgements;
  readonly vaultMode: VaultMode;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
  /** For writes other than a status. Call `assertLeading` right before each of its writes. */
  readonly client: Pick<KubeClient, 'get' | 'list' | 'apply' | 'delete'>;
  readonly assertLeading: () => void;
  /** Records this process's writes of RoleBindings. */
  readonly bindingWrites: Pick<OwnWrites, 'note'>;
  /** State of the swap loop. */
  readonly failover: FailoverState;
  /** Monotonic ms since when a RoleBinding is without an Orbiset. */
  readonly leftSince: WeakMap<KubeObject, number>;
}
