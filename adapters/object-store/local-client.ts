import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { AppliedObject, KubeClient } from '../kube/port.ts';
import {
  decideApply,
  decideCreate,
  decideDelete,
  decidePatch,
  decideUpdate,
  type CreationSources,
} from './decisions.ts';
import type { ObjectTable } from './object-table.ts';
import type { ObjectWrites } from './object-writes.ts';
import { matches } from './selection.ts';
import { watchOf } from './watch.ts';

export interface LocalClientDeps extends CreationSources {
  readonly table: ObjectTable;
  readonly writes: ObjectWrites;
}

/** Namespace and name of an object to send. */
export const refOf = ({ metadata: { name = '', namespace } }: AppliedObject): ObjectRef =>
  namespace === undefined ? { name } : { name, namespace };

const SUFFIX = 10;

/** Gives an object with `generateName` a name. */
function named(object: AppliedObject, newUid: () => string): AppliedObject {
  const { name, generateName } = object.metadata;
  if (name !== undefined || typeof generateName !== 'string') return object;
  const suffix = newUid().replaceAll('-', '').slice(-SUFFIX);
  return { ...object, metadata: { ...object.metadata, name: `${generateName}${suffix}` } };
}

function present(object: KubeObject | undefined): KubeObject {
  if (object === undefined) throw new TypeError('a write left no object');
  return object;
}

function readsOf({ table }: LocalClientDeps): Pick<KubeClient, 'get' | 'list' | 'watch'> {
  return {
    get: async ({ kind }, ref, signal) => {
      signal.throwIfAborted();
      return table.find(kind, ref)?.object;
    },
    list: async ({ kind }, query, signal) => {
      signal.throwIfAborted();
      return { items: table.all(kind).filter((object) => matches(object, query)), resourceVersion: table.version };
    },
    watch: async ({ kind }, selection, signal) => {
      signal.throwIfAborted();
      return watchOf(table, { kind, selection, since: Number(selection.resourceVersion), signal });
    },
  };
}

/** The calls of the Kubernetes API that the platform uses, over objects of this process (README.md). */
export function createLocalClient(deps: LocalClientDeps): KubeClient {
  const { writes, newUid } = deps;
  return {
    ...readsOf(deps),
    apply: async ({ kind }, object, options, signal) =>
      present(await writes.write({ kind, ref: refOf(object) }, decideApply(object, options, deps), signal)),
    patch: async ({ kind }, ref, options, signal) =>
      present(await writes.write({ kind, ref }, decidePatch(options), signal)),
    create: async ({ kind }, given, signal) => {
      const object = named(given, newUid);
      return present(await writes.write({ kind, ref: refOf(object) }, decideCreate(object, deps), signal));
    },
    update: async ({ kind }, object, signal) =>
      present(await writes.write({ kind, ref: refOf(object) }, decideUpdate(object), signal)),
    delete: async ({ kind }, ref, preconditions, signal) => {
      await writes.write({ kind, ref }, decideDelete(preconditions), signal);
    },
    close: async () => undefined,
  };
}
