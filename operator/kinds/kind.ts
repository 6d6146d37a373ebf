import type { Change, Kind, Lane, WorkQueue } from '../../adapters/kube/port.ts';
import type { ReflectOptions } from '../../adapters/kube/reflect.ts';
import type { StatusOwner } from '../../adapters/kube/status-writer.ts';
import type { ApiIdentity, VaultMode } from '../../core/orbiset/vault-reader.ts';
import { keyOf, type KubeObject, type ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { Outcome } from '../../core/reconcile/outcome.ts';
import type { Reasons } from '../../core/reconcile/reasons.ts';
import type { Context, Stores } from './context.ts';
import type { FailureReport } from './report-failure.ts';
import type { ConcernName } from './kinds.ts';

/** Settings of the installation that decide which objects are watched. */
interface Placement extends ApiIdentity {
  readonly vaultMode: VaultMode;
}

/** The means to handle a change of an object: enqueue the keys that must be reconciled. */
export interface Enqueue extends Placement {
  readonly queues: Readonly<Record<ConcernName, Pick<WorkQueue, 'add'>>>;
  /** The caches at the time of the change. */
  readonly stores: Readonly<Record<'orb' | 'orbiset' | 'publication', Pick<Stores['orb'], 'byIndex'>>>;
  /** Drops the memory of a deleted Orb. */
  readonly forget: (key: string) => void;
}

/** One concern of a kind: a controller with its own queue and its own part of the status (operator.md A7). */
export interface Concern<Name extends string> {
  readonly name: Name;
  /** Name of queue and controller; label of metrics. */
  readonly controller: string;
  readonly reconcile: (key: string, context: Context, signal: AbortSignal) => Promise<Outcome>;
  /** The part of the status that it writes (security.md §6.1); absent when it writes no status. */
  readonly status?: Pick<StatusOwner, 'fieldManager' | 'members' | 'conditions'>;
  /** Keys of a resync; default: every object of the kind. */
  readonly keys?: (stores: Stores) => Iterable<string>;
  /** Whether it runs in this installation; default: always. */
  readonly isUsed?: (placement: Placement) => boolean;
  /** Where repeated failures are reported; default: an Event on the object itself. */
  readonly failure?: (context: Context) => FailureReport;
}

/** A kind that the operator watches. Each has one folder, and one line in `kinds.ts`. */
export interface OperatorKind<Name extends string, Concerns extends string> {
  /** Name of its cache in `Stores`. */
  readonly name: Name;
  readonly kind: Kind;
  /** Reasons of the conditions of its status, for the reference; absent when the platform writes no status. */
  readonly reasons?: Reasons;
  readonly indexes?: ReflectOptions['indexes'];
  /** The cached objects; default: all of the kind. */
  readonly cached?: (placement: Placement) => Pick<ReflectOptions, 'selection' | 'transform'>;
  /** Enqueues the keys that a change of one object concerns, and does nothing else. */
  readonly changed: (change: Change, enqueue: Enqueue) => void;
  readonly concerns: readonly Concern<Concerns>[];
  /** The object of a key; default: the object that the key names. */
  readonly refOf?: (key: string) => ObjectRef;
}

/** The object was created or deleted, or its spec changed. */
export const isEdit = ({ before, after }: Pick<Change, 'before' | 'after'>): boolean =>
  before === undefined || after === undefined || before.metadata.generation !== after.metadata.generation;

/** Changes by a person go first. Objects that might only be affected go last (operator.md A6). */
export function laneOf(change: Change): Lane {
  if (change.initial) return 'low';
  return isEdit(change) ? 'high' : 'normal';
}

export const namespaceOf = (change: Change): string => (change.after ?? change.before)?.metadata.namespace ?? '';

export const addAll = (queue: Pick<WorkQueue, 'add'>, objects: readonly KubeObject[], lane: Lane = 'normal'): void => {
  for (const { metadata } of objects) queue.add(keyOf(metadata), { lane });
};
