import type { EventRecorder } from '../adapters/kube/event-recorder.ts';
import type { KubeClient, Store } from '../adapters/kube/port.ts';
import type { StatusOwner, StatusWriter } from '../adapters/kube/status-writer.ts';
import type { OwnWrites } from '../adapters/kube/own-writes.ts';
import type { Clock } from '../adapters/time/clock.ts';
import type { VaultMode } from '../core/orbiset/vault-reader.ts';
import type { KubeObject } from '../core/reconcile/kube-object.ts';
import type { FailoverState } from './failover/failover-state.ts';
import type { Judgements } from './orb/judgements.ts';

/** What the caches hold. Reconcilers read nothing else. */
export interface Stores {
  readonly orb: Store;
  readonly orbiset: Store;
  readonly publication: Store;
  /** The RoleBindings named `orb-vault-reader`, or with `tenant` all that name the API. */
  readonly roleBinding: Store;
}

/** Who writes which part of which status (security.md §6.1). */
export interface Owners {
  readonly orb: StatusOwner;
  readonly failover: StatusOwner;
  readonly orbiset: StatusOwner;
  readonly publication: StatusOwner;
}

/** What a reconcile may use. */
export interface Context {
  readonly stores: Stores;
  readonly owners: Owners;
  readonly writer: StatusWriter;
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly judgements: Judgements;
  readonly platformNamespace: string;
  readonly vaultMode: VaultMode;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
  /** For what is no status; `assertLeading` right before each of its writes. */
  readonly client: Pick<KubeClient, 'get' | 'list' | 'apply' | 'delete'>;
  readonly assertLeading: () => void;
  /** Own writes of RoleBindings. */
  readonly bindingWrites: Pick<OwnWrites, 'note'>;
  /** Of the swap loop. */
  readonly failover: FailoverState;
  /** Since when a RoleBinding has been seen without an Orbiset, monotonic ms. */
  readonly leftSince: WeakMap<KubeObject, number>;
}
