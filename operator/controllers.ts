import { createController, type Controller, type ControllerOptions } from '../adapters/kube/controller.ts';
import type { OwnWrites } from '../adapters/kube/own-writes.ts';
import type { Store, WorkQueue } from '../adapters/kube/port.ts';
import { keyOf } from '../core/reconcile/kube-object.ts';
import type { Outcome } from '../core/reconcile/outcome.ts';
import type { Context } from './context.ts';
import type { StatusWrites } from './owners.ts';
import { reconcileFailover } from './failover/reconcile.ts';
import { reconcileOrb } from './orb/reconcile.ts';
import { reconcileOrbiset } from './orbiset/reconcile.ts';
import { reconcilePublication } from './publication/reconcile.ts';
import { reconcileFailed, reportFailure, type FailureReport } from './report-failure.ts';
import { reconcileRoleBinding } from './role-binding/reconcile.ts';
import { bindingFailure } from './role-binding/report-refusal.ts';

/** Names of queues and controllers; labels of metrics. */
export const CONTROLLERS = {
  orb: 'orb',
  failover: 'orb-failover',
  orbiset: 'orbiset',
  roleBinding: 'role-binding',
  publication: 'orbpublication',
} as const;

export type WorkQueues = Readonly<Record<keyof typeof CONTROLLERS, WorkQueue>>;

export interface Writes extends StatusWrites {
  readonly roleBinding: OwnWrites;
}

type Shared = Pick<ControllerOptions, 'clock' | 'random' | 'logger' | 'metrics'> & { readonly workers: number };
type Reconcile = (key: string, context: Context, signal: AbortSignal) => Promise<Outcome>;

/** What one controller differs in. */
interface Own {
  readonly name: keyof typeof CONTROLLERS;
  readonly kind: string;
  readonly reconcile: Reconcile;
  readonly keys: () => Iterable<string>;
  readonly writes: OwnWrites;
  readonly failure: FailureReport;
}

const keysOf = (store: Store) => (): readonly string[] => store.list().map(({ metadata }) => keyOf(metadata));

/** Keys are those of the objects themselves. */
const onItself = (store: Store): FailureReport => ({
  objectsOf: (key) => [store.get(key)].filter((object) => object !== undefined),
  eventOf: (_, error) => reconcileFailed(error),
});

/** Namespaces with an Orbiset, and those where one was. */
const namespacesOf =
  ({ orbiset, roleBinding }: Context['stores']): (() => Iterable<string>) =>
  () =>
    new Set([...orbiset.list(), ...roleBinding.list()].map(({ metadata }) => metadata.namespace ?? ''));

function ownParts({ stores }: Context, writes: Writes): readonly Own[] {
  const orb = { kind: 'Orb', keys: keysOf(stores.orb), writes: writes.orb, failure: onItself(stores.orb) };
  const orbiset = {
    kind: 'Orbiset',
    keys: keysOf(stores.orbiset),
    writes: writes.orbiset,
    failure: onItself(stores.orbiset),
  };
  return [
    { ...orb, name: 'orb', reconcile: reconcileOrb },
    { ...orb, name: 'failover', reconcile: reconcileFailover },
    { ...orbiset, name: 'orbiset', reconcile: reconcileOrbiset },
    {
      name: 'publication',
      kind: 'OrbPublication',
      reconcile: reconcilePublication,
      keys: keysOf(stores.publication),
      writes: writes.publication,
      failure: onItself(stores.publication),
    },
  ];
}

function bindingPart(context: Context, writes: Writes): Own {
  return {
    name: 'roleBinding',
    kind: 'RoleBinding',
    reconcile: reconcileRoleBinding,
    keys: namespacesOf(context.stores),
    writes: writes.roleBinding,
    failure: bindingFailure(context),
  };
}

/** The controllers of the operator. With `rbac.vault=tenant` nobody makes RoleBindings. */
export function createControllers(
  context: Context,
  queues: WorkQueues,
  writes: Writes,
  shared: Shared,
): readonly Controller[] {
  // When thousands of Orbs change at once the API server is what they wait for: whether they run is told first.
  const workersOf = (name: Own['name']): number =>
    name === 'failover' ? Math.ceil(shared.workers / 2) : shared.workers;
  const parts = [
    ...ownParts(context, writes),
    ...(context.vaultMode === 'operator' ? [bindingPart(context, writes)] : []),
  ];
  return parts.map(({ name, kind, reconcile, keys, writes: own, failure }) =>
    createController({
      ...shared,
      name: CONTROLLERS[name],
      workers: workersOf(name),
      kind,
      queue: queues[name],
      keys,
      writes: [own],
      reconcile: (key, { signal }) => reconcile(key, context, signal),
      onRepeatedFailure: reportFailure(failure, context.recorder),
    }),
  );
}
