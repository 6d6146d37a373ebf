import { changedRecord } from '../../../adapters/object-store/record.ts';
import { EMPTY_CONTENT, replaced } from '../../../adapters/object-store/content.ts';
import { decideCreate } from '../../../adapters/object-store/decisions.ts';
import { createLocalClient, refOf } from '../../../adapters/object-store/local-client.ts';
import { ObjectTable } from '../../../adapters/object-store/object-table.ts';
import { ObjectWrites } from '../../../adapters/object-store/object-writes.ts';
import { refusal } from '../../../adapters/object-store/refusal.ts';
import { keyOf, type KubeObject, type ObjectRef } from '../../../core/reconcile/kube-object.ts';
import type { AppliedObject, Kind, KubeClient } from '../../../adapters/kube/port.ts';

/** One call, as the server would receive it. */
export interface FakeRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'apply' | 'patch' | 'create' | 'update' | 'delete';
  /** `Orb` */
  readonly kind: string;
  /** Key of the object; for a LIST and a WATCH the namespace, or ''. */
  readonly key: string;
  readonly subresource?: 'status';
  readonly fieldManager?: string;
  readonly force?: boolean;
}

/**
 * The object store of standalone without a ledger (adapters/object-store), with hooks around it. Its README lists its
 * features; tests of other features need a real API server.
 */
export interface FakeKubeClient extends KubeClient {
  /** All calls so far. */
  readonly requests: readonly FakeRequest[];
  /** Called before each request; may wait, and an error that it throws is the answer. */
  before: (request: FakeRequest, signal: AbortSignal) => Promise<void> | void;
  /** Called after the request was done, before its answer: an error that it throws hides the success. */
  after: (request: FakeRequest, signal: AbortSignal) => Promise<void> | void;
  /** Stores an object unchanged, as another client; its spec and status replace those of an earlier version. */
  readonly put: (kind: Kind, object: AppliedObject) => KubeObject;
  readonly remove: (kind: Kind, ref: ObjectRef) => void;
  readonly objects: (kind: Kind) => readonly KubeObject[];
}

export const kubeError = refusal;

const CREATED = Date.parse('2026-01-01T00:00:00Z');

const of = ({ kind }: Kind, ref: ObjectRef): Pick<FakeRequest, 'kind' | 'key'> => ({ kind, key: keyOf(ref) });

export function createFakeKubeClient(): FakeKubeClient {
  const requests: FakeRequest[] = [];
  const table = new ObjectTable([]);
  let uids = 0;
  const birth = { now: () => CREATED, newUid: () => `uid-${(uids += 1)}` };
  const calls = createLocalClient({ table, writes: new ObjectWrites(table, undefined), ...birth });

  const around = async <T>(request: FakeRequest, signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    requests.push(request);
    await fake.before(request, signal);
    signal.throwIfAborted();
    const answer = await call();
    await fake.after(request, signal);
    return answer;
  };
  const put: FakeKubeClient['put'] = (kind, object) => {
    const known = table.find(kind.kind, refOf(object));
    const identity = known?.identity ?? decideCreate(object, birth)(undefined)?.identity;
    if (identity === undefined) throw new TypeError('nothing was made');
    const main = replaced(known?.content ?? EMPTY_CONTENT, object, undefined);
    const content = object['status'] === undefined ? main : replaced(main, object, 'status');
    const place = table.order.enter();
    const record = changedRecord({ identity, known }, content, () => place.version);
    void table.show(place, known, record);
    return record.object;
  };
  const fake: FakeKubeClient = {
    requests,
    before: () => undefined,
    after: () => undefined,
    put,
    remove: ({ kind }, ref) => {
      const record = table.find(kind, ref);
      if (record !== undefined) void table.showDeletion(table.order.enter(), record);
    },
    objects: ({ kind }) => table.all(kind),
    get: (kind, ref, signal) => around({ verb: 'get', ...of(kind, ref) }, signal, () => calls.get(kind, ref, signal)),
    list: (kind, query, signal) =>
      around({ verb: 'list', kind: kind.kind, key: query.namespace ?? '' }, signal, () =>
        calls.list(kind, query, signal),
      ),
    watch: (kind, query, signal) =>
      around({ verb: 'watch', kind: kind.kind, key: query.namespace ?? '' }, signal, () =>
        calls.watch(kind, query, signal),
      ),
    apply: (kind, object, options, signal) =>
      around({ verb: 'apply', ...of(kind, refOf(object)), ...options }, signal, () =>
        calls.apply(kind, object, options, signal),
      ),
    patch: (kind, ref, options, signal) => {
      const { fieldManager, subresource } = options;
      const by = { fieldManager, ...(subresource === undefined ? {} : { subresource }) };
      return around({ verb: 'patch', ...of(kind, ref), ...by }, signal, () => calls.patch(kind, ref, options, signal));
    },
    create: (kind, object, signal) =>
      around({ verb: 'create', ...of(kind, refOf(object)) }, signal, () => calls.create(kind, object, signal)),
    update: (kind, object, signal) =>
      around({ verb: 'update', ...of(kind, refOf(object)) }, signal, () => calls.update(kind, object, signal)),
    delete: (kind, ref, preconditions, signal) =>
      around({ verb: 'delete', ...of(kind, ref) }, signal, () => calls.delete(kind, ref, preconditions, signal)),
    close: async () => undefined,
  };
  return fake;
}
