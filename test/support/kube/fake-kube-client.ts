import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { keyOf, type KubeObject, type ObjectRef } from '../../../core/reconcile/kube-object.ts';
import {
  KubeError,
  type AppliedObject,
  type Kind,
  type KubeClient,
  type Preconditions,
  type Selection,
} from '../../../adapters/kube/port.ts';
import { applied, conflicting, merged, replaced, shown, type AppliedBy, type FakeRecord } from './fake-record.ts';

/** One call, as the server would see it. */
export interface FakeRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'apply' | 'patch' | 'create' | 'update' | 'delete';
  /** `Orb` */
  readonly kind: string;
  /** Of the object; of the namespace, or '', for a LIST and a WATCH. */
  readonly key: string;
  readonly subresource?: 'status';
  readonly fieldManager?: string;
  readonly force?: boolean;
}

/**
 * A Kubernetes API in memory, for unit tests: resourceVersions, generations, 409s, uid and resourceVersion preconditions,
 * server-side apply (forced unless said) that owns spec members, status members, conditions, labels, annotations, owners and
 * finalizers one by one. It has no schemas, no admission, no finalization, no pages and no JSON Patch: those need a real server.
 */
export interface FakeKubeClient extends KubeClient {
  /** All calls so far. */
  readonly requests: readonly FakeRequest[];
  /** Called before each request; may wait, and what it throws is the answer. */
  before: (request: FakeRequest, signal: AbortSignal) => Promise<void> | void;
  /** Called when the request was done and before it is answered: what it throws hides that it happened. */
  after: (request: FakeRequest, signal: AbortSignal) => Promise<void> | void;
  /** Puts an object as it is, as somebody else; its spec and status replace those of an earlier one. */
  readonly put: (kind: Kind, object: AppliedObject) => KubeObject;
  readonly remove: (kind: Kind, ref: ObjectRef) => void;
  readonly objects: (kind: Kind) => readonly KubeObject[];
}

export const kubeError = (
  status: number,
  reason: string,
  causes: readonly string[] = [],
  managers: readonly string[] = [],
): KubeError => new KubeError(`${status} ${reason}`, { status, reason, causes, managers });

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function matches({ metadata }: KubeObject, { namespace, fieldSelector, labelSelector }: Selection): boolean {
  const labels: readonly (readonly string[])[] = (labelSelector ?? '')
    .split(',')
    .filter((term) => term !== '')
    .map((term) => term.split('='));
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    (fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`) &&
    labels.every(([name = '', value]) => {
      const label = metadata.labels?.[name];
      return value === undefined ? label !== undefined : label === value;
    })
  );
}

interface FakeEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: string;
  readonly version: number;
  readonly object: KubeObject;
}

class Server {
  readonly requests: FakeRequest[] = [];
  readonly events: FakeEvent[] = [];
  readonly #records = new Map<string, FakeRecord>();
  #version = 1000;
  #named = 0;

  get version(): string {
    return String(this.#version);
  }

  readonly next = (): string => String((this.#version += 1));

  static id({ kind }: Kind, ref: ObjectRef): string {
    return `${kind} ${keyOf(ref)}`;
  }

  find(kind: Kind, ref: ObjectRef): FakeRecord | undefined {
    return this.#records.get(Server.id(kind, ref));
  }

  all(kind: Kind): readonly KubeObject[] {
    return [...this.#records.values()].filter((record) => record.kind === kind.kind).map(shown);
  }

  save(kind: Kind, record: FakeRecord): KubeObject {
    const id = Server.id(kind, record.meta);
    const before = this.#records.get(id);
    this.#records.set(id, record);
    const object = shown(record);
    if (before?.meta.resourceVersion !== record.meta.resourceVersion) {
      const type = before === undefined ? 'ADDED' : 'MODIFIED';
      this.events.push({ type, kind: kind.kind, version: this.#version, object });
    }
    return object;
  }

  remove(kind: Kind, ref: ObjectRef): void {
    const record = this.find(kind, ref);
    if (record === undefined) return;
    this.#records.delete(Server.id(kind, ref));
    const resourceVersion = this.next();
    const object = shown({ ...record, meta: { ...record.meta, resourceVersion } });
    this.events.push({ type: 'DELETED', kind: kind.kind, version: this.#version, object });
  }

  /** An object without fields, to be filled by the write that makes it. */
  empty({ apiVersion, kind, metadata }: AppliedObject): FakeRecord {
    const { name, namespace } = metadata;
    this.#named += 1;
    const generated = `${text(metadata['generateName']) ?? ''}${this.#named.toString(36).padStart(5, '0')}`;
    const meta = {
      name: name ?? generated,
      ...(namespace === undefined ? {} : { namespace }),
      uid: text(metadata['uid']) ?? `uid-${this.#named}`,
      generation: 0,
      creationTimestamp: text(metadata['creationTimestamp']) ?? '2026-01-01T00:00:00Z',
      resourceVersion: this.next(),
    };
    return { apiVersion, kind, meta, fields: new Map(), owners: new Map() };
  }
}

const refOf = ({ metadata: { name = '', namespace } }: AppliedObject): ObjectRef =>
  namespace === undefined ? { name } : { name, namespace };

function checkVersion(record: FakeRecord, wanted: unknown): void {
  if (wanted !== undefined && wanted !== record.meta.resourceVersion) throw kubeError(409, 'Conflict');
}

function checkUid(record: FakeRecord, wanted: unknown): void {
  if (wanted !== undefined && wanted !== record.meta.uid) throw kubeError(409, 'Conflict');
}

function checkMayCreate({ metadata }: AppliedObject, subresource: 'status' | undefined): void {
  if (subresource === 'status') throw kubeError(404, 'NotFound');
  if (metadata['uid'] !== undefined) throw kubeError(409, 'Conflict');
}

/** A status may name any uid: only its resourceVersion counts. */
function checkMayApply(record: FakeRecord, { metadata }: AppliedObject, subresource: 'status' | undefined): void {
  checkVersion(record, metadata['resourceVersion']);
  const isOther = metadata['uid'] !== undefined && metadata['uid'] !== record.meta.uid;
  if (isOther && subresource === undefined) throw kubeError(422, 'Invalid');
}

function checkConflicts(record: FakeRecord, object: AppliedObject, by: AppliedBy): void {
  const managers = conflicting(record, object, by);
  const causes = managers.map(() => 'FieldManagerConflict');
  if (managers.length > 0) throw kubeError(409, 'Conflict', causes, managers);
}

function reads(server: Server): Pick<KubeClient, 'get' | 'list' | 'watch'> {
  async function* watching(
    kind: Kind,
    from: number,
    options: { selection: Selection; signal: AbortSignal },
  ): AsyncGenerator<Uint8Array> {
    for (let place = 0; !options.signal.aborted;) {
      const event = server.events[place];
      if (event === undefined) {
        await nextTurn();
        continue;
      }
      place += 1;
      if (event.kind !== kind.kind || event.version <= from || !matches(event.object, options.selection)) continue;
      yield Buffer.from(`${JSON.stringify({ type: event.type, object: event.object })}\n`);
    }
    options.signal.throwIfAborted();
  }
  return {
    get: async (kind, ref) => {
      const record = server.find(kind, ref);
      return record === undefined ? undefined : shown(record);
    },
    list: async (kind, query) => ({
      items: server.all(kind).filter((object) => matches(object, query)),
      resourceVersion: server.version,
    }),
    watch: async (kind, selection, signal) => watching(kind, Number(selection.resourceVersion), { selection, signal }),
  };
}

function writes(server: Server): Pick<KubeClient, 'apply' | 'patch' | 'create' | 'update' | 'delete'> {
  const found = (kind: Kind, ref: ObjectRef): FakeRecord => {
    const record = server.find(kind, ref);
    if (record === undefined) throw kubeError(404, 'NotFound');
    return record;
  };
  return {
    apply: async (kind, object, options) => {
      const known = server.find(kind, refOf(object));
      if (known === undefined) checkMayCreate(object, options.subresource);
      else checkMayApply(known, object, options.subresource);
      if (known !== undefined && options.force === false) checkConflicts(known, object, options);
      return server.save(kind, applied(known ?? server.empty(object), object, options, server.next));
    },
    patch: async (kind, ref, { type, body, subresource }) => {
      if (type !== 'merge') throw new TypeError('the fake API knows merge patches only');
      const record = found(kind, ref);
      const metadata = isJsonObject(body) && isJsonObject(body['metadata']) ? body['metadata'] : {};
      checkVersion(record, metadata['resourceVersion']);
      const object = merged(shown(record), body);
      return server.save(kind, replaced(record, isJsonObject(object) ? object : {}, subresource, server.next));
    },
    create: async (kind, object) => {
      if (server.find(kind, refOf(object)) !== undefined) throw kubeError(409, 'AlreadyExists');
      return server.save(kind, replaced(server.empty(object), object, undefined, server.next));
    },
    update: async (kind, object) => {
      const record = found(kind, refOf(object));
      checkVersion(record, object.metadata['resourceVersion']);
      return server.save(kind, replaced(record, object, undefined, server.next));
    },
    delete: async (kind, ref, { uid, resourceVersion }: Preconditions) => {
      const record = server.find(kind, ref);
      if (record === undefined) return;
      checkUid(record, uid);
      checkVersion(record, resourceVersion);
      server.remove(kind, ref);
    },
  };
}

const of = ({ kind }: Kind, ref: ObjectRef): Pick<FakeRequest, 'kind' | 'key'> => ({ kind, key: keyOf(ref) });

export function createFakeKubeClient(): FakeKubeClient {
  const server = new Server();
  const calls = { ...reads(server), ...writes(server) };

  const around = async <T>(request: FakeRequest, signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    server.requests.push(request);
    await fake.before(request, signal);
    signal.throwIfAborted();
    const answer = await call();
    await fake.after(request, signal);
    return answer;
  };
  const fake: FakeKubeClient = {
    requests: server.requests,
    before: () => undefined,
    after: () => undefined,
    put: (kind, object) => {
      const known = server.find(kind, refOf(object));
      const main = replaced(known ?? server.empty(object), object, undefined, server.next);
      return server.save(kind, object['status'] === undefined ? main : replaced(main, object, 'status', server.next));
    },
    remove: (kind, ref) => server.remove(kind, ref),
    objects: (kind) => server.all(kind),
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
