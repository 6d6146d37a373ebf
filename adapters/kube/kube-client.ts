import { isJsonObject } from '../../core/json/json-value.ts';
import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';
import { createCaller, type Caller, type CallerOptions, type Call } from './kube-caller.ts';
import { toKubeObject, type KubeJson } from './kube-json.ts';
import { collectionPath, listPath, objectPath, patchPath, watchPath } from './kube-paths.ts';
import {
  KubeError,
  type AppliedObject,
  type Kind,
  type KubeClient,
  type ListPage,
  type PatchOptions,
  type Selection,
} from './port.ts';

const JSON_TYPE = 'application/json';
/** Always sent: without it the server answers 415. JSON is YAML. */
const APPLY_TYPE = 'application/apply-patch+yaml';
const PATCH_TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' } as const;

const broken = (what: string): KubeError =>
  new KubeError(`${what} was answered with something else: is this a Kubernetes API server?`, {
    status: 0,
    reason: '',
    causes: [],
  });

/** Reviews and token requests are answered without a name. */
function objectOf({ value, mayRound }: KubeJson, kind: Kind, what: string): KubeObject {
  const meta = isJsonObject(value) ? value['metadata'] : undefined;
  const named = isJsonObject(value) ? { ...value, metadata: { name: '', ...(isJsonObject(meta) ? meta : {}) } } : value;
  const object = toKubeObject(named, kind, mayRound);
  if (object === undefined) throw broken(what);
  return object;
}

function pageOf({ value, mayRound }: KubeJson, kind: Kind, what: string): ListPage {
  const meta = isJsonObject(value) ? value['metadata'] : undefined;
  const items: unknown = isJsonObject(value) ? (value['items'] ?? []) : undefined;
  if (!isJsonObject(meta) || !Array.isArray(items)) throw broken(what);
  const { resourceVersion, continue: token } = meta;
  if (typeof resourceVersion !== 'string') throw broken(what);
  const objects = items.map((item: unknown) => {
    const object = toKubeObject(item, kind, mayRound);
    if (object === undefined) throw broken(what);
    return object;
  });
  return {
    items: objects,
    resourceVersion,
    ...(typeof token === 'string' && token !== '' ? { continue: token } : {}),
  };
}

/** `unsafeIntegers` is a note of the decoder and not a part of the object. */
const sent = (object: AppliedObject): string => JSON.stringify({ ...object, unsafeIntegers: undefined });

function refOf({ kind, metadata }: AppliedObject): ObjectRef {
  const { name, namespace } = metadata;
  if (name === undefined) throw new TypeError(`${kind} needs a name`);
  return namespace === undefined ? { name } : { namespace, name };
}

/** The call as people read it, without a query. */
function described(verb: string, kind: Kind, { namespace, name }: { namespace?: string; name?: string }): string {
  const place = [namespace, name].filter((part) => part !== undefined).join('/');
  return `${verb} ${kind.plural}${place && ` ${place}`}`;
}

const selected = ({ namespace }: Selection): { namespace?: string } => (namespace === undefined ? {} : { namespace });

// The server's message may quote what was sent.
const isQuiet = ({ plural }: Kind): boolean => plural === 'secrets' || plural.includes('token');

const isAbsent = (error: unknown): boolean =>
  // The reason distinguishes a missing object from a missing kind, which the server answers with text.
  error instanceof KubeError && error.status === 404 && error.reason === 'NotFound';

type Verb = Pick<Call, 'verb' | 'method' | 'repeat'>;

const VERBS = {
  get: { verb: 'get', method: 'GET', repeat: 'repeatable' },
  list: { verb: 'list', method: 'GET', repeat: 'repeatable' },
  watch: { verb: 'watch', method: 'GET', repeat: 'once' },
  apply: { verb: 'apply', method: 'PATCH', repeat: 'applied' },
  patch: { verb: 'patch', method: 'PATCH', repeat: 'once' },
  create: { verb: 'create', method: 'POST', repeat: 'once' },
  update: { verb: 'update', method: 'PUT', repeat: 'once' },
  delete: { verb: 'delete', method: 'DELETE', repeat: 'repeatable' },
} as const satisfies Record<string, Verb>;

class HttpKubeClient implements KubeClient {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  readonly get: KubeClient['get'] = async (kind, ref, signal) => {
    const what = described('GET', kind, ref);
    const call = { ...VERBS.get, path: objectPath(kind, ref), what, quiet: isQuiet(kind) };
    try {
      return objectOf(await this.#caller.json(call, signal), kind, what);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  };

  readonly list: KubeClient['list'] = async (kind, query, signal) => {
    const what = described('LIST', kind, selected(query));
    const call = { ...VERBS.list, path: listPath(kind, query), what, quiet: isQuiet(kind) };
    return pageOf(await this.#caller.json(call, signal), kind, what);
  };

  readonly watch: KubeClient['watch'] = (kind, query, signal) => {
    const what = described('WATCH', kind, selected(query));
    return this.#caller.stream({ ...VERBS.watch, path: watchPath(kind, query), what, quiet: isQuiet(kind) }, signal);
  };

  readonly apply: KubeClient['apply'] = (kind, object, options, signal) => {
    const ref = refOf(object);
    const path = patchPath(kind, ref, { ...options, force: options.force ?? true });
    return this.#write(
      { ...VERBS.apply, path, contentType: APPLY_TYPE, body: sent(object) },
      { kind, what: described('APPLY', kind, ref), signal },
    );
  };

  readonly patch: KubeClient['patch'] = (kind, ref, options: PatchOptions, signal) =>
    this.#write(
      {
        ...VERBS.patch,
        path: patchPath(kind, ref, options),
        contentType: PATCH_TYPES[options.type],
        body: JSON.stringify(options.body),
      },
      { kind, what: described('PATCH', kind, ref), signal },
    );

  readonly create: KubeClient['create'] = (kind, object, signal) =>
    this.#write(
      {
        ...VERBS.create,
        path: collectionPath(kind, object.metadata.namespace),
        contentType: JSON_TYPE,
        body: sent(object),
      },
      { kind, what: described('CREATE', kind, object.metadata), signal },
    );

  readonly update: KubeClient['update'] = (kind, object, signal) => {
    const ref = refOf(object);
    return this.#write(
      { ...VERBS.update, path: objectPath(kind, ref), contentType: JSON_TYPE, body: sent(object) },
      { kind, what: described('UPDATE', kind, ref), signal },
    );
  };

  readonly delete: KubeClient['delete'] = async (kind, ref, preconditions, signal) => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
    const call = { ...VERBS.delete, path: objectPath(kind, ref), contentType: JSON_TYPE, body };
    try {
      await this.#caller.json({ ...call, what: described('DELETE', kind, ref), quiet: isQuiet(kind) }, signal);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  };

  readonly close = (): Promise<void> => this.#caller.close();

  async #write(
    call: Omit<Call, 'what' | 'quiet'>,
    { kind, what, signal }: { kind: Kind; what: string; signal: AbortSignal },
  ): Promise<KubeObject> {
    return objectOf(await this.#caller.json({ ...call, what, quiet: isQuiet(kind) }, signal), kind, what);
  }
}

/** The client of one API server. Opens nothing before the first call. */
export const createKubeClient = (options: CallerOptions): KubeClient => new HttpKubeClient(createCaller(options));
